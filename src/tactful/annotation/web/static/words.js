// What the scripts say, in the language of the page: the page brings it as data, which is never run.

const block = document.getElementById('words');
// Pages on which nothing is said bring no words.
const words = block ? JSON.parse(block.textContent) : {};
const plural = new Intl.PluralRules(document.documentElement.lang || 'en');

/** The words of a key with the values put in; which form they take may depend on `count`. */
export function word(key, values = {}) {
  let entry = words[key] ?? key;
  if (typeof entry !== 'string') entry = entry[plural.select(values.count)] ?? entry.other;
  return entry.replaceAll(/\{(\w+)\}/g, (_, name) => values[name]);
}
