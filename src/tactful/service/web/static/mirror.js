// The mirror behind a field: the same words, unseen, with the marks that are to be seen. It has an
// element for each line, and only lines that changed are drawn again: so it keeps up with typing
// in long texts. The field in front of it is an ordinary one, with its own undo and input methods.
// To read, the same is shown by itself, with the numbers of the findings.

import { element, number } from './words.js';

/** Cut marks at each other's edges: pieces without overlap, each with all marks that cover it. */
export function pieces(marks) {
  const edges = [...new Set(marks.flatMap((mark) => [mark.start, mark.end]))];
  edges.sort((one, other) => one - other);
  const sorted = [...marks].sort((one, other) => one.start - other.start);
  const found = [];
  let open = [];
  let next = 0;
  for (let at = 0; at + 1 < edges.length; at += 1) {
    const [start, end] = [edges[at], edges[at + 1]];
    open = open.filter((mark) => mark.end > start);
    for (; next < sorted.length && sorted[next].start <= start; next += 1) {
      if (sorted[next].end > start) open.push(sorted[next]);
    }
    if (open.length) found.push({ start, end, marks: open });
  }
  return found;
}

const ORDER = ['pcl', 'unhealthy', 'frame', 'stereotype', 'toxicity', 'term'];

/** The class of a piece: its first family is its ground, a second one its further line. */
function look(marks, current) {
  const families = ORDER.filter((name) => marks.some((mark) => mark.family === name));
  const first = families[0] ?? 'other';
  const second = families[1] ? ` and-${families[1]}` : '';
  const isCurrent = marks.some((mark) => mark.card === current);
  return `m-${first}${second}${isCurrent ? ' current' : ''}`;
}

function reference(at) {
  const link = element('a', 'reference', number(at));
  link.href = `#finding-${at}`;
  return element('sup', '', link);
}

export class Mirror {
  constructor(place, { isNumbered = false } = {}) {
    this.place = place;
    this.isNumbered = isNumbered; // whether each mark leads to its card
    this.drawn = []; // what each line shows: its text, its pieces, and one key for both
  }

  /** Show a text with marks; `current` is the card whose marks stand out. */
  draw(text, marks, current) {
    const wanted = this.lines(text, marks, current);
    const old = this.drawn;
    const shorter = Math.min(old.length, wanted.length);
    let start = 0;
    while (start < shorter && old[start].key === wanted[start].key) start += 1;
    let end = 0;
    while (
      end < shorter - start
      && old[old.length - 1 - end].key === wanted[wanted.length - 1 - end].key
    ) end += 1;
    const rows = this.place.children;
    const fresh = wanted.slice(start, wanted.length - end).map((line) => this.row(line));
    const gone = [...rows].slice(start, old.length - end);
    const before = rows[old.length - end] ?? null;
    for (const row of gone) row.remove();
    const batch = document.createDocumentFragment();
    batch.append(...fresh);
    this.place.insertBefore(batch, before);
    this.drawn = wanted;
  }

  lines(text, marks, current) {
    const cut = pieces(marks);
    const found = [];
    let start = 0;
    let at = 0;
    for (const line of text.split('\n')) {
      const end = start + line.length;
      while (at < cut.length && cut[at].end <= start) at += 1;
      const inside = [];
      for (let next = at; next < cut.length && cut[next].start < end; next += 1) {
        const piece = {
          start: Math.max(cut[next].start, start) - start,
          end: Math.min(cut[next].end, end) - start,
          look: look(cut[next].marks, current),
          numbers: this.numbers(cut[next], end),
        };
        const last = inside[inside.length - 1];
        // What looks alike is one piece: its frame is not cut where marks happen to end.
        if (last?.end === piece.start && last.look === piece.look && !last.numbers.length) {
          last.end = piece.end;
          last.numbers = piece.numbers;
        } else {
          inside.push(piece);
        }
      }
      const key = inside.reduce((sum, each) =>
        `${sum}\n${each.start} ${each.end} ${each.look} ${each.numbers}`, line);
      found.push({ text: line, inside, key });
      start = end + 1;
    }
    return found;
  }

  /** The numbers of the cards whose marks end with a piece, in the line that ends so. */
  numbers(piece, lineEnd) {
    if (!this.isNumbered || piece.end > lineEnd) return [];
    return piece.marks.filter((mark) => mark.number && mark.end === piece.end).map((mark) => mark.number);
  }

  row({ text, inside }) {
    const row = element('div', 'line');
    let at = 0;
    for (const piece of inside) {
      if (piece.start > at) row.append(text.slice(at, piece.start));
      row.append(element('span', `mark ${piece.look}`, text.slice(piece.start, piece.end)));
      row.append(...piece.numbers.map(reference));
      at = piece.end;
    }
    if (at < text.length) row.append(text.slice(at));
    if (!text) row.append(element('br'));
    return row;
  }

  /** Bring the current marks into view. */
  reveal() {
    this.place.querySelector('.mark.current')?.scrollIntoView({ block: 'nearest' });
  }
}
