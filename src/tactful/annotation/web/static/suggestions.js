// Answers that a model suggests, beside the questions. Nothing is chosen for anybody: people take a
// suggestion over, change it, or refuse it. Words are inserted as text, never as HTML.

import { idOf, partsOf } from './marks.js';
import { word } from './words.js';

const STATES = {
  open: word('suggestion_open'),
  taken: word('suggestion_taken'),
  changed: word('suggestion_changed'),
  refused: word('suggestion_refused'),
};
const ACTS = { take: word('suggestion_take'), refuse: word('suggestion_refuse') };

export class Suggestions {
  /** `act(instance, name)` is called where somebody presses "take" or "refuse". */
  constructor(act) {
    this.act = act;
  }

  /** Begin with an item; `answers` are the suggested ones, or null. */
  begin(answers, text) {
    this.answers = answers ?? {};
    this.letters = Array.from(text);
    this.refused = new Set();
  }

  /** Write the suggestion of each question, and what became of it. */
  draw(shown) {
    for (const instance of shown) {
      if (this.#has(instance)) this.#write(instance);
    }
  }

  /** The first question whose suggestion was neither taken over nor refused nor answered. */
  open(shown) {
    return shown.find((each) => this.#has(each) && this.#state(each) === 'open') ?? null;
  }

  /** Answer a question as it is suggested; say whether there was anything to take over. */
  take(instance) {
    if (!this.#has(instance) || this.#state(instance) === 'taken') return false;
    this.refused.delete(instance.question.id);
    instance.control.set(this.answers[instance.question.id]);
    instance.changed();
    return true;
  }

  refuse(instance) {
    if (!this.#has(instance)) return false;
    this.refused.add(instance.question.id);
    // What was taken over goes away again; an answer of one's own stays.
    if (this.#state(instance) === 'taken') {
      instance.control.set(null);
      instance.changed();
    }
    this.#write(instance);
    return true;
  }

  #has({ question }) {
    return !question.per && Object.hasOwn(this.answers, question.id);
  }

  #state(instance) {
    const given = instance.control.get();
    if (id(given) === id(this.answers[instance.question.id])) return 'taken';
    if (given !== null && given.length) return 'changed';
    return this.refused.has(instance.question.id) ? 'refused' : 'open';
  }

  #write(instance) {
    const { element } = instance;
    const state = this.#state(instance);
    let box = element.querySelector(':scope > .suggestion');
    if (!box) {
      box = this.#made(instance);
      element.querySelector(':scope > .problem').before(box);
    }
    box.dataset.state = state;
    box.querySelector('.tag').textContent = STATES[state];
    const [take, refuse] = box.querySelectorAll('button');
    const focused = document.activeElement;
    take.hidden = state === 'taken';
    refuse.hidden = state === 'refused' || state === 'changed';
    // A button that goes away must not take the focus with it.
    if (box.contains(focused) && focused.hidden) (take.hidden ? refuse : take).focus();
  }

  #made(instance) {
    const box = document.createElement('div');
    box.className = 'suggestion';
    const line = document.createElement('p');
    const tag = document.createElement('span');
    tag.className = 'tag';
    line.append(`${word('suggestion')} `, ...this.#told(instance), ' ', tag);
    box.append(line, this.#button(instance, 'take', '.'), this.#button(instance, 'refuse', '-'));
    return box;
  }

  #button(instance, name, key) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button';
    button.setAttribute('aria-keyshortcuts', key);
    const shown = document.createElement('kbd');
    shown.ariaHidden = 'true';
    shown.textContent = key;
    button.append(`${ACTS[name]} `, shown);
    button.addEventListener('click', () => this.act(instance, name));
    return button;
  }

  /** The suggested answer in words. */
  #told({ question, element }) {
    const given = [this.answers[question.id]].flat();
    return given.flatMap((each, index) => {
      const part = document.createElement('bdi');
      const name = nameOf(element, each.value ?? each);
      part.textContent = each.value === undefined ? name : `“${this.#words(each)}” (${name})`;
      return index ? [', ', part] : [part];
    });
  }

  #words(span) {
    return partsOf(span).map(([start, end]) => this.letters.slice(start, end).join('')).join(' … ');
  }
}

/** An answer without the order of what was chosen or marked. */
function id(answer) {
  if (!Array.isArray(answer)) return JSON.stringify(answer);
  return JSON.stringify(answer.map((each) => (each.value === undefined ? each : idOf(each))).sort());
}

function nameOf(element, value) {
  const mine = CSS.escape(value);
  const option = element.querySelector(`input[value="${mine}"], [data-value="${mine}"]`);
  if (option instanceof HTMLOptionElement) return option.value;
  return option?.closest('.option').querySelector('.name').textContent ?? value;
}
