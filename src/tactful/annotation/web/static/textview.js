// A text as it is read and marked. It is put on the page as text, never as HTML; characters that
// cannot be seen or that turn text around are shown by their names and have no effect.

import { partsOf } from './marks.js';
import { fromUnits, pieces, toUnits } from './offsets.js';
import { word } from './words.js';

const LANES = 4;

export class TextView {
  constructor(place, lang) {
    this.place = place;
    this.lang = lang;
    this.text = '';
    this.spans = [];
  }

  write(text) {
    this.text = text;
    this.pieces = pieces(text, this.lang);
    this.length = this.pieces.at(-1)?.end ?? 0;
    this.draw([]);
  }

  /** Draw the text again with these spans: {start, end, parts, hue, key, name}; parts where it has gaps. */
  draw(spans) {
    this.spans = stacked(spans);
    const cuts = new Set(this.spans.flatMap((span) => partsOf(span).flat()));
    const runs = this.pieces.flatMap((piece) => cut(piece, cuts));
    const lanes = Math.max(0, ...this.spans.map((span) => span.lane + 1));
    this.lanes = Math.min(lanes, LANES);
    this.place.dataset.lanes = this.lanes;
    this.place.replaceChildren(...runs.map((run) => this.#run(run)));
  }

  #run({ start, end, text, control }) {
    const run = document.createElement('span');
    run.dataset.start = start;
    run.dataset.end = end;
    if (control) {
      run.className = 'control';
      run.dataset.name = control;
      run.setAttribute('role', 'img');
      run.setAttribute('aria-label', word('mark_hidden', { name: control }));
    } else {
      run.textContent = text;
    }
    const over = this.spans.filter((span) => (
      partsOf(span).some(([from, to]) => from < end && start < to)
    ));
    if (over.length) {
      run.classList.add('marked-run');
      // Set by script, not by an attribute of style, which the content policy refuses.
      run.style.backgroundImage = over
        .map((span) => `linear-gradient(var(--hue-${span.hue}), var(--hue-${span.hue}))`)
        .join(', ');
      run.style.backgroundPosition = over
        .map((span) => `0 calc(100% - ${(this.lanes - 1 - (span.lane % LANES)) * 5}px)`)
        .join(', ');
      // A part after a gap shows that it goes on: the key of its mark, behind a plus.
      const begun = over.filter((span) => partsOf(span).some(([from]) => from === start));
      const begins = begun.map((span) => (span.start === start ? span.key : `+${span.key}`));
      if (begins.length) {
        run.dataset.marks = begins.join(' ');
        run.dataset.names = begun.map((span, at) => (
          span.start === start ? `${begins[at]} ${shortened(span.name)}` : begins[at]
        )).join(' · ');
        run.style.setProperty('--hue', begun.length === 1 ? `var(--hue-${begun[0].hue})` : 'var(--ink)');
      }
    }
    return run;
  }

  /** The code point at which a place of the page stands, or null outside the text. */
  offsetAt(node, offset) {
    if (!this.place.contains(node)) return null;
    if (node === this.place) {
      return offset < node.children.length ? Number(node.children[offset].dataset.start)
        : this.length;
    }
    const run = (node instanceof Element ? node : node.parentElement).closest('[data-start]');
    if (node.nodeType !== Node.TEXT_NODE) {
      return Number(offset ? run.dataset.end : run.dataset.start);
    }
    return Number(run.dataset.start) + fromUnits(node.data, offset);
  }

  /** The place of the page at which a code point stands: [node, offset]. */
  placeAt(point) {
    const runs = [...this.place.children];
    const run = runs.find((each) => point < Number(each.dataset.end)) ?? runs.at(-1);
    if (!run) return [this.place, 0];
    const index = runs.indexOf(run);
    if (run.firstChild === null) return [this.place, index + (point >= Number(run.dataset.end))];
    return [run.firstChild, toUnits(run.firstChild.data, point - Number(run.dataset.start))];
  }

  /** Where on the screen the letter at (or before) a code point is. */
  rectAt(point) {
    const range = document.createRange();
    range.setStart(...this.placeAt(point));
    range.collapse(true);
    let rect = range.getClientRects()[0];
    if (!rect) {
      const [node] = this.placeAt(point);
      const element = node instanceof Element ? node.children[0] ?? node : node.parentElement;
      rect = element.getBoundingClientRect();
    }
    return rect;
  }
}

const LONGEST_NAME = 28;
const shortened = (name) => (
  name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).trimEnd()}…` : name
);

/** Give spans that overlap lines of their own, as few as possible. */
export function stacked(spans) {
  const ends = [];
  return [...spans]
    .sort((one, other) => one.start - other.start || other.end - one.end)
    .map((span) => {
      let lane = ends.findIndex((end) => end <= span.start);
      if (lane < 0) lane = ends.length;
      ends[lane] = span.end;
      return { ...span, lane };
    });
}

function cut(piece, cuts) {
  if (piece.control) return [piece];
  const characters = Array.from(piece.text);
  const found = [];
  let from = piece.start;
  for (let at = piece.start + 1; at <= piece.end; at += 1) {
    if (at === piece.end || cuts.has(at)) {
      const text = characters.slice(from - piece.start, at - piece.start).join('');
      found.push({ start: from, end: at, text, control: '' });
      from = at;
    }
  }
  return found;
}
