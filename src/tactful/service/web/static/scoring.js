// Scores the rows of a table, a few at a time.

import { call } from './api.js';
import { data, word } from './words.js';

const AT_ONCE = 64;
const MOST_UNITS = 200_000; // of all texts of a request: far below what a body may have

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
    const answer = await (await call('/v1/score', { texts: part, lang }, { signal, onWait })).json();
    onPart(from, answer.scores.map((score, at) =>
      (isTooLong(texts[from + at]) ? unscored(word('too_long_cell')) : told(score))));
    from += part.length;
  }
}

const isTooLong = (text) => text.length > Math.min(data.mostCharacters, MOST_UNITS);
// One cell that cannot be sent must not stop the others.
const fitting = (text) => (isTooLong(text) ? '' : text.replaceAll('\0', '\ufffd'));

const unscored = (reason) => ({ lang: null, probabilities: null, reason });

function told(score) {
  if (score.probabilities) return { lang: score.lang, probabilities: score.probabilities, reason: null };
  const known = data.words[`reason_${score.reason}`] ?? word('reason_other');
  return unscored(known);
}
