// From findings to cards: one card for each finding, with the kinds that are wanted.

import { data, familyOf } from './words.js';

/** The cards of findings from a confidence on, in reading order. */
export function cardsOf(findings, least, isWanted = () => true) {
  const seen = new Map();
  const cards = [];
  for (const finding of findings) {
    const kinds = kindsOf(finding, least, isWanted);
    if (!kinds.length) continue;
    const main = kinds.find((kind) => isAlone(kind) || !kinds.some(({ id }) => id === kind.parent));
    const family = familyOf(main.id);
    // The same words may stand in a text twice; where they stand changes with every key.
    const base = `${family}|${finding.excerpt}`;
    const times = (seen.get(base) ?? 0) + 1;
    seen.set(base, times);
    const spans = wordsOf(finding, kinds);
    const sorted = [main, ...kinds.filter((kind) => kind !== main)];
    cards.push({ key: `${base}|${times}`, family, finding, kinds: sorted, spans, start: spans[0].start });
  }
  const rank = Object.keys(data.families);
  cards.sort((one, other) => one.start - other.start
    || rank.indexOf(one.family) - rank.indexOf(other.family));
  return cards;
}

// A comment can be sarcastic and healthy, or polite and a threat; in the other families all depends
// on the general kind.
const ALONE = ['unhealthy', 'toxicity', 'term'];
const isAlone = (kind) => kind.parent === null || ALONE.includes(familyOf(kind.id));

/** The kinds of a finding that are sure enough and wanted; none without what it belongs under. */
function kindsOf(finding, least, isWanted) {
  const sure = finding.kinds.filter((kind) => kind.confidence >= least && isWanted(familyOf(kind.id)));
  return sure.filter((kind) => isAlone(kind) || sure.some(({ id }) => id === kind.parent));
}

/** The words that carry some kinds; the whole sentence where none are known. */
function wordsOf(finding, kinds) {
  const found = new Map();
  for (const span of kinds.flatMap((kind) => kind.spans)) found.set(`${span.start} ${span.end}`, span);
  const all = [...found.values()];
  const isInside = (one) => all.some((other) =>
    other !== one && other.start <= one.start && one.end <= other.end);
  const spans = all.filter((span) => !isInside(span));
  if (!spans.length) return [{ start: finding.start, end: finding.end, text: '' }];
  return spans.sort((one, other) => one.start - other.start);
}

/** The marks of cards in a text; the last one of a card has its number. */
export const marksOf = (cards) => cards.flatMap((card, at) =>
  card.spans.map(({ start, end }, index) => ({
    start, end, family: card.family, card: card.key, number: index === card.spans.length - 1 ? at + 1 : 0,
  })));

/** How many cards there are of each family. */
export function countsOf(cards) {
  const counts = new Map();
  for (const { family } of cards) counts.set(family, (counts.get(family) ?? 0) + 1);
  return counts;
}
