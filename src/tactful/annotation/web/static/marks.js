// Marks as the server knows them: start, end, value, and `parts` where there are gaps; what is said
// about them, and the buttons beside them.

export const SAID = {
  selectFirst: 'Select some words first.',
  markFirst: 'Mark some words first; then + adds more words to that mark.',
  whichMark: 'Choose the mark to add to: press + beside it in the list.',
  marked: (words, name) => `Marked “${words}”: ${name}.`,
  unmarked: (words, name) => `Unmarked “${words}”: ${name}.`,
  joined: (words, mark, name) => `Added “${words}” to “${mark}”: ${name}.`,
  partAlready: (words) => `“${words}” is part of that mark already.`,
  gone: (what) => `Unmarked ${what}.`,
  noGaps: 'Here a mark has no gaps: mark the words one by one.',
  and: 'and',
  join: (what) => `Add the selected words to ${what}`,
  hint: 'adds what is selected to the mark made last: one mark, with a gap.',
};

export const inOrder = (one, other) => one.start - other.start || one.end - other.end;
export const partsOf = (span) => span.parts ?? [[span.start, span.end]];
export const idOf = (span) => JSON.stringify([span.value, partsOf(span)]);

export function spanOf(parts, value) {
  const span = { start: parts[0][0], end: parts.at(-1)[1], value };
  return parts.length > 1 ? { ...span, parts } : span;
}

export const copy = (span) => spanOf(partsOf(span).map((part) => [...part]), span.value);

/** Three dots to the eye, a word to the ear. */
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
