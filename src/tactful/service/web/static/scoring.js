// Scores the rows of a table, a few at a time.

import { call } from './api.js';
import { data, word } from './words.js';

const AT_ONCE = 64;
const MOST_UNITS = 12_000; // of all texts of a request: below what the service reads at once
const TOO_MUCH = 'TOO_MANY_TOKENS';

/** Score texts in parts; `onPart(from, answers)` is called after each. */
export async function scoreAll(texts, lang, { signal, onPart, onWait }) {
  let from = 0;
  while (from < texts.length) {
    const part = [];
    let units = 0;
    const most = Math.min(AT_ONCE, data.mostTexts);
    while (from + part.length < texts.length && part.length < most) {
      const text = fitting(texts[from + part.length]);
      units += text.length;
      if (part.length && units > MOST_UNITS) break;
      part.push(text);
    }
    const scores = await scored(part, lang, { signal, onWait });
    onPart(from, scores.map((score, at) =>
      (isTooLong(texts[from + at]) ? unscored(word('too_long_cell')) : told(score))));
    from += part.length;
  }
}

/** Score texts in one request; where that is too much to read, in two. */
async function scored(texts, lang, options) {
  try {
    return (await (await call('/v1/score', { texts, lang }, options)).json()).scores;
  } catch (error) {
    if (error.type !== TOO_MUCH || texts.length < 2) throw error;
    const half = Math.ceil(texts.length / 2);
    const first = await scored(texts.slice(0, half), lang, options);
    return [...first, ...await scored(texts.slice(half), lang, options)];
  }
}

const isTooLong = (text) => text.length > data.mostCharacters;
// One cell that cannot be sent must not stop the others.
const fitting = (text) => (isTooLong(text) ? '' : text.replaceAll('\0', '\ufffd'));

const unscored = (reason) => ({ lang: null, probabilities: null, reason });

function told(score) {
  if (score.probabilities) return { lang: score.lang, probabilities: score.probabilities, reason: null };
  const known = data.words[`reason_${score.reason}`] ?? word('reason_other');
  return unscored(known);
}
