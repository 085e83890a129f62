// The controls of questions: buttons, boxes, fields, marks. Each has get() and set() with answers as
// the server expects them, and reports changes by the person.

import { word } from './words.js';

let count = 0;

const tidy = (text) => text.normalize('NFC').split(/\s+/u).filter(Boolean).join(' ');

function ask(element, changed) {
  const kind = element.dataset.kind;
  if (kind === 'spans') return null;
  if (kind === 'text') return field(element, changed);
  if (kind === 'texts') return lines(element, changed);
  if (element.querySelector('[data-list]')) return search(element, changed);
  return boxes(element, changed);
}

function field(element, changed) {
  const area = element.querySelector('textarea');
  area.addEventListener('input', () => changed(area));
  return {
    get: () => area.value.trim() || null,
    set: (value) => { area.value = value ?? ''; },
  };
}

/** Radio buttons or boxes, with a field for free answers if the question is open. */
function boxes(element, changed) {
  const inputs = [...element.querySelectorAll('.option input')];
  const several = element.dataset.kind === 'choices';
  const own = element.querySelector('.own-text');
  count += 1;
  inputs.forEach((input) => { input.name = `question-${count}`; });
  const chips = several && own ? new Chips(element, changed) : null;
  if (chips) {
    onAdd(element, own, () => {
      if (!tidy(own.value)) return false;
      const known = inputs.find((input) => nameOf(input).toLowerCase() === tidy(own.value).toLowerCase());
      if (known) known.checked = true;
      else chips.add(tidy(own.value));
      own.value = '';
      changed();
      return true;
    });
  } else if (own) {
    own.addEventListener('input', () => {
      if (own.value.trim()) inputs.forEach((input) => { input.checked = false; });
      changed(own);
    });
  }
  inputs.forEach((input) => input.addEventListener('change', () => {
    if (own && !several) own.value = '';
    changed();
  }));
  return {
    get() {
      const chosen = inputs.filter((input) => input.checked).map((input) => input.value);
      if (several) return [...chosen, ...(chips ? chips.values : [])];
      return chosen[0] ?? (own && tidy(own.value) ? tidy(own.value) : null);
    },
    set(value) {
      const wanted = several ? (value ?? []) : [value];
      const known = inputs.map((input) => input.value);
      inputs.forEach((input) => { input.checked = wanted.includes(input.value); });
      const others = wanted.filter((each) => each != null && !known.includes(each));
      if (chips) chips.values = others;
      else if (own) own.value = others[0] ?? '';
    },
  };
}

const nameOf = (input) => input.closest('.option').querySelector('.name').textContent;

/** A long list, searched by typing or opened under its headings, with the chosen options below. */
function search(element, changed) {
  const several = element.dataset.kind === 'choices';
  const input = element.querySelector('[data-list]');
  const list = element.querySelector('datalist');
  count += 1;
  list.id = `list-${count}`;
  input.setAttribute('list', list.id);
  const options = [...list.children];
  const picks = [...element.querySelectorAll('[data-pick]')];
  const chips = new Chips(
    element,
    changed,
    (value) => options.find((option) => option.dataset.value === value)?.value ?? value,
    (values) => picks.forEach((pick) => {
      pick.setAttribute('aria-pressed', values.includes(pick.dataset.pick));
    }),
  );
  const take = (value) => {
    if (several) chips.add(value);
    else chips.values = [value];
    changed();
  };
  picks.forEach((pick) => pick.addEventListener('click', () => {
    if (chips.values.includes(pick.dataset.pick)) chips.remove(pick.dataset.pick);
    else take(pick.dataset.pick);
  }));
  onAdd(element, input, () => {
    const words = tidy(input.value);
    const known = options.find((option) => [option.value, option.dataset.value]
      .some((name) => name.toLowerCase() === words.toLowerCase()));
    if (!words) return false;
    if (!known && !element.dataset.open) {
      showProblem(element, word('not_listed', { words }));
      return true;
    }
    input.value = '';
    take(known ? known.dataset.value : words);
    return true;
  });
  return {
    get: () => (several ? chips.values : (chips.values[0] ?? null)),
    set(value) {
      chips.values = several ? (value ?? []) : [value].filter((each) => each != null);
    },
  };
}

/** Enter and the button do the same; `add` says whether there was something to add. */
function onAdd(element, input, add) {
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing || event.ctrlKey || event.metaKey) return;
    if (add()) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  element.querySelector('.add').addEventListener('click', () => {
    add();
    input.focus();
  });
}

/** Free answers that were added, each with a button to remove it. */
class Chips {
  #values = [];

  constructor(element, changed, nameFor = (value) => value, shown = () => {}) {
    this.changed = changed;
    this.nameFor = nameFor;
    this.shown = shown;
    this.list = document.createElement('ul');
    this.list.className = 'chips';
    this.list.setAttribute('aria-label', word('chosen'));
    element.querySelector('.own').after(this.list);
  }

  get values() {
    return [...this.#values];
  }

  set values(values) {
    this.#values = [...values];
    this.list.replaceChildren(...this.#values.map((value) => this.#chip(value)));
    this.shown(this.#values);
  }

  remove(value) {
    this.values = this.#values.filter((each) => each !== value);
    this.changed();
  }

  add(value) {
    if (!this.#values.includes(value)) this.values = [...this.#values, value];
  }

  #chip(value) {
    const item = document.createElement('li');
    const name = document.createElement('bdi');
    name.textContent = this.nameFor(value);
    item.append(name, removeButton(this.nameFor(value), () => this.remove(value)));
    return item;
  }
}

export function removeButton(name, remove) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'remove';
  button.textContent = '×';
  button.setAttribute('aria-label', word('remove', { name }));
  button.addEventListener('click', remove);
  return button;
}

/** A list of short texts, one field each. */
function lines(element, changed) {
  const list = element.querySelector('.lines');
  const add = element.querySelector('.add');
  const least = Math.max(1, Number(element.dataset.least));
  const most = Number(element.dataset.most) || 100;
  const inputs = () => [...list.querySelectorAll('input')];
  const title = element.querySelector('legend').textContent;
  const append = (value = '') => {
    const item = document.createElement('li');
    const input = document.createElement('input');
    input.type = 'text';
    input.dir = 'auto';
    input.maxLength = 500;
    input.autocomplete = 'off';
    input.value = value;
    const about = element.querySelector('.about');
    const whom = about.hidden ? '' : `, ${about.textContent}`;
    input.setAttribute('aria-label', `${title.trim()}${whom}, ${list.children.length + 1}`);
    input.addEventListener('input', () => changed(input));
    input.addEventListener('keydown', (event) => {
      const next = item.nextElementSibling?.querySelector('input');
      if (event.key === 'Enter' && !event.ctrlKey && !event.isComposing && next) {
        event.preventDefault();
        event.stopPropagation();
        next.focus();
      }
    });
    item.append(input);
    list.append(item);
    add.hidden = list.children.length >= most;
    return input;
  };
  add.addEventListener('click', () => append().focus());
  const begins = [];
  for (const button of element.querySelectorAll('[data-begin]')) {
    const begin = button.dataset.begin.replaceAll('{answer}', element.querySelector('.about').textContent);
    begins.push(tidy(begin));
    button.textContent = `${begin} …`;
    button.addEventListener('click', () => {
      const input = inputs().find((each) => !each.value.trim())
        ?? (list.children.length < most ? append() : null);
      if (!input) return;
      input.value = `${begin} `;
      input.focus();
      changed(input);
    });
  }
  return {
    // A beginning alone says nothing.
    get: () => [...new Set(inputs().map((input) => tidy(input.value)))]
      .filter((line) => line && !begins.includes(line)),
    set(values) {
      const wanted = values ?? [];
      // A person in the middle of typing keeps their field and its cursor.
      const kept = inputs().map((input) => tidy(input.value)).filter(Boolean);
      if (list.children.length && kept.join('\n') === wanted.join('\n')) return;
      list.replaceChildren();
      add.hidden = false;
      for (let index = 0; index < Math.max(least, wanted.length); index += 1) append(wanted[index]);
    },
  };
}

export function showProblem(element, sentence) {
  const problem = element.querySelector('.problem');
  problem.textContent = sentence;
  problem.hidden = !sentence;
}

export { ask };
