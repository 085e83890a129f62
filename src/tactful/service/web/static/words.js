// What the scripts say, in the language of the page: the page brings it as data, which is never run.

export const data = JSON.parse(document.getElementById('data').textContent);
const lang = document.documentElement.lang;
const plural = new Intl.PluralRules(lang);
const numbers = new Intl.NumberFormat(lang);
const percents = new Intl.NumberFormat(lang, { style: 'percent' });

/** The words of a key with the values put in; which form they take may depend on `count`. */
export function word(key, values = {}) {
  let entry = data.words[key];
  if (typeof entry !== 'string') entry = entry[plural.select(values.count)] ?? entry.other;
  return entry.replaceAll(/\{(\w+)\}/g, (_, name) =>
    (typeof values[name] === 'number' ? number(values[name]) : values[name]));
}

export const number = (value) => numbers.format(value);
export const percent = (value) => percents.format(value);
export const familyOf = (id) => id.split('.', 1)[0];
export const nameOf = (id) => data.entries[id]?.name ?? id;

/** An element with a class and children; strings become text, never markup. */
export function element(tag, className = '', ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((each) => each !== null));
  return made;
}

/** A button that does something when it is pressed. */
export function button(label, onClick, className = 'button') {
  const made = element('button', className, label);
  made.type = 'button';
  made.addEventListener('click', onClick);
  return made;
}

const notice = document.getElementById('notice');

/** Say something that the reader should see, or nothing. */
export function tell(message) {
  notice.textContent = message;
  notice.className = 'notice';
  notice.hidden = !message;
}

/** Say what was done, perhaps with a button. */
export function tellDone(message, ...more) {
  tell(message);
  notice.classList.add('done');
  notice.append(...more);
}
