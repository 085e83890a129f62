// From findings to cards: what was found in one passage in one family is one thing to look at,
// with its more particular findings below it.

import { data, familyOf } from './words.js';

const GENERAL = { frame: 'frame.offensive' };

/** The cards of findings from a probability on, in reading order. */
export function cardsOf(findings, least, isWanted = () => true) {
  const groups = new Map();
  for (const finding of findings) {
    const family = familyOf(finding.id);
    if (finding.probability < least || !isWanted(family)) continue;
    const key = `${finding.start} ${finding.end} ${family}`;
    if (!groups.has(key)) groups.set(key, { family, start: finding.start, findings: [] });
    groups.get(key).findings.push(finding);
  }
  const seen = new Map();
  const cards = [];
  for (const { family, findings: all } of groups.values()) {
    const shown = withTheirParents(all, family);
    if (!shown.length) continue;
    const place = wordsOf(shown);
    // The same words may stand in a text twice; where they stand changes with every key.
    const base = `${family}|${shown[0].excerpt}`;
    const times = (seen.get(base) ?? 0) + 1;
    seen.set(base, times);
    cards.push({ key: `${base}|${times}`, family, findings: shown, spans: place, start: place[0].start });
  }
  const rank = Object.keys(data.families);
  cards.sort((one, other) => one.start - other.start
    || rank.indexOf(one.family) - rank.indexOf(other.family));
  return cards;
}

// A comment can be sarcastic and healthy, or polite and a threat; in the other families all depends
// on the general finding.
const ALONE = ['unhealthy', 'toxicity', 'term'];

/** The general finding and, by probability, those below it; without it there is nothing to show. */
function withTheirParents(findings, family) {
  const root = GENERAL[family] ?? family;
  if (!ALONE.includes(family) && !findings.some((each) => each.id === root)) return [];
  return findings.sort((one, other) =>
    (other.id === root) - (one.id === root) || other.probability - one.probability);
}

/** The places of the words that carry a card; the whole passage where none are known. */
function wordsOf(findings) {
  const found = new Map();
  for (const { start, end } of findings.flatMap((each) => each.spans)) {
    found.set(`${start} ${end}`, { start, end });
  }
  if (!found.size) return [{ start: findings[0].start, end: findings[0].end }];
  return [...found.values()].sort((one, other) => one.start - other.start);
}

/** The marks of cards in a text. */
export const marksOf = (cards) => cards.flatMap((card) =>
  card.spans.map(({ start, end }) => ({ start, end, family: card.family, card: card.key })));

/** How many cards there are of each family. */
export function countsOf(cards) {
  const counts = new Map();
  for (const { family } of cards) counts.set(family, (counts.get(family) ?? 0) + 1);
  return counts;
}
