// Marks as the server knows them: start, end, value, and `parts` where there are gaps; what is said
// about them, and the buttons beside them.

import { word } from './words.js';

export const SAID = {
  selectFirst: word('mark_select'),
  markFirst: word('mark_first'),
  whichMark: word('mark_which'),
  marked: (words, name) => word('mark_made', { words, name }),
  unmarked: (words, name) => word('mark_unmade', { words, name }),
  joined: (words, mark, name) => word('mark_joined', { words, mark, name }),
  partAlready: (words) => word('mark_part', { words }),
  gone: (what) => word('mark_gone', { what }),
  noGaps: word('mark_no_gaps'),
  and: word('mark_and'),
  join: (what) => word('mark_join', { what }),
  hint: word('mark_hint'),
};

export const inOrder = (one, other) => one.start - other.start || one.end - other.end;
export const partsOf = (span) => span.parts ?? [[span.start, span.end]];
export const idOf = (span) => JSON.stringify([span.value, partsOf(span)]);

export function spanOf(parts, value) {
  const span = { start: parts[0][0], end: parts.at(-1)[1], value };
  return parts.length > 1 ? { ...span, parts } : span;
}

export const copy = (span) => spanOf(partsOf(span).map((part) => [...part]), span.value);

/** Visible dots, and a word for screen readers. */
export function gap() {
  const made = document.createElement('span');
  const dots = document.createElement('span');
  dots.textContent = '…';
  dots.setAttribute('aria-hidden', 'true');
  const spoken = document.createElement('span');
  spoken.className = 'unseen';
  spoken.textContent = ` ${SAID.and} `;
  made.append(dots, spoken);
  return made;
}

export function joinButton(what, join) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain-button join';
  button.textContent = '+';
  // Large enough for a finger.
  Object.assign(button.style, { minInlineSize: '2rem', minBlockSize: '2rem', justifyContent: 'center' });
  button.setAttribute('aria-label', SAID.join(what));
  // The text keeps its selection while the button is pressed.
  button.addEventListener('pointerdown', (event) => event.preventDefault());
  button.addEventListener('click', join);
  return button;
}

export function joinHint() {
  const hint = document.createElement('p');
  hint.id = 'join-keys';
  hint.className = 'muted keys-hint';
  hint.hidden = true;
  const key = document.createElement('kbd');
  key.textContent = '+';
  hint.append(key, ` ${SAID.hint}`);
  return hint;
}
