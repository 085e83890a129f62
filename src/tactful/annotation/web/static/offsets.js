// Places in a text. Tactful counts Unicode code points; JavaScript counts UTF-16 units, of which
// an emoji has two or more. Everything that is stored or compared here is in code points.

export const codePoints = (text) => Array.from(text);

/** How many code points the first `units` UTF-16 units hold; half a pair counts as a whole one. */
export function fromUnits(text, units) {
  let count = 0;
  for (let unit = 0; unit < units && unit < text.length; count += 1) {
    unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
  }
  return count;
}

/** How many UTF-16 units the first `points` code points take. */
export function toUnits(text, points) {
  let unit = 0;
  for (let count = 0; count < points && unit < text.length; count += 1) {
    unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
  }
  return unit;
}

function segments(text, lang, granularity) {
  const found = [];
  let start = 0;
  if (globalThis.Intl && Intl.Segmenter) {
    for (const piece of new Intl.Segmenter(lang, { granularity }).segment(text)) {
      const end = start + codePoints(piece.segment).length;
      found.push({ start, end, text: piece.segment, isWord: piece.isWordLike });
      start = end;
    }
    return found;
  }
  const pattern = granularity === 'word' ? /\S+|\s+/gu : /\P{M}\p{M}*|\p{M}+/gsu;
  for (const [piece] of text.matchAll(pattern)) {
    const end = start + codePoints(piece).length;
    found.push({ start, end, text: piece, isWord: /\S/u.test(piece) });
    start = end;
  }
  return found;
}

/** What a reader sees as one letter: an emoji with its parts, a letter with its marks. */
export const letters = (text, lang) => segments(text, lang, 'grapheme');

/** The words of a text, without spaces and punctuation. */
export function words(text, lang) {
  const all = segments(text, lang, 'word');
  const found = all.filter((piece) => piece.isWord);
  // A text of emoji and signs only has no words: then whatever is no space can be stepped on.
  return found.length ? found : all.filter((piece) => /\S/u.test(piece.text));
}

/** The edges of letters around a place: the nearest ones at or before, and at or after it. */
export function aroundLetter(edges, place) {
  let before = 0;
  for (const edge of edges) {
    if (edge >= place) return [edge === place ? edge : before, edge];
    before = edge;
  }
  return [before, before];
}

const NAMES = {
  0x00ad: 'SHY', 0x061c: 'ALM', 0x180e: 'MVS', 0x200b: 'ZWSP', 0x200e: 'LRM', 0x200f: 'RLM',
  0x2028: 'LS', 0x2029: 'PS', 0x202a: 'LRE', 0x202b: 'RLE', 0x202c: 'PDF', 0x202d: 'LRO',
  0x202e: 'RLO', 0x2060: 'WJ', 0x2066: 'LRI', 0x2067: 'RLI', 0x2068: 'FSI', 0x2069: 'PDI',
  0xfeff: 'BOM', 0xfffd: '',
};

/** A name for a character that cannot be seen or that turns text around; '' for all others. */
export function controlName(character) {
  const point = character.codePointAt(0);
  if (NAMES[point] !== undefined) return NAMES[point];
  const isControl = point < 0x20 ? !'\t\n'.includes(character) : point >= 0x7f && point < 0xa0;
  const isHidden = (point >= 0x2061 && point <= 0x206f) || (point >= 0xfff9 && point <= 0xfffb);
  const isTag = point >= 0xe0000 && point <= 0xe007f;
  if (!isControl && !isHidden && !isTag) return '';
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Pieces of a text in which control characters stand alone: {start, end, text, control}. */
export function pieces(text, lang) {
  const found = [];
  const add = (start, end, piece, control) => {
    const last = found[found.length - 1];
    if (!control && last && !last.control) {
      last.text += piece;
      last.end = end;
    } else {
      found.push({ start, end, text: piece, control });
    }
  };
  for (const letter of letters(text, lang)) {
    // The flags of England, Scotland and Wales are spelled with tags.
    const isFlag = letter.text.startsWith('\u{1f3f4}');
    codePoints(letter.text).forEach((character, index) => {
      const start = letter.start + index;
      const isBreak = character === '\r' && codePoints(letter.text)[index + 1] === '\n';
      add(start, start + 1, character, isFlag || isBreak ? '' : controlName(character));
    });
  }
  return found;
}
