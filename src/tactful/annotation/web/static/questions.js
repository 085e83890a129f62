// The questions of a step: which of them apply, what was answered, what is still missing.

import { ask, showProblem } from './controls.js';
import { word } from './words.js';

export class StepForm {
  /** `step` holds the templates, `marks(element, changed)` makes the control of spans. */
  constructor(place, step, marks, changed) {
    this.place = place;
    this.marks = marks;
    this.changed = changed;
    this.questions = [...step.querySelectorAll('template')].map((template) => ({
      id: template.dataset.question,
      template,
      required: template.dataset.required === 'yes',
      least: Number(template.dataset.least),
      most: template.dataset.most === '' ? Infinity : Number(template.dataset.most),
      per: template.dataset.per,
      when: JSON.parse(template.dataset.when),
      instances: new Map(),
    }));
    place.replaceChildren();
    this.#sync();
  }

  /** The questions on the page, from top to bottom; one that is asked per group stands there often. */
  get shown() {
    return [...this.place.children].map((element) => this.#byElement.get(element));
  }

  #byElement = new Map();

  answers() {
    const answers = {};
    for (const question of this.#asked()) {
      if (question.per) {
        const each = this.#names(question)
          .map((name) => [name, question.instances.get(name)?.control.get() ?? null])
          .filter(([, value]) => !isBlank(value));
        answers[question.id] = Object.fromEntries(each);
      } else {
        const value = question.instances.get('')?.control.get() ?? null;
        if (value !== null) answers[question.id] = value;
      }
    }
    return answers;
  }

  write(answers) {
    // One after the other: an answer can open the next question.
    for (const question of this.questions) {
      this.#sync();
      for (const [name, instance] of question.instances) {
        const value = answers[question.id];
        instance.control.set((question.per ? value?.[name] : value) ?? null);
      }
    }
    this.#sync();
  }

  /** Show what is missing, and return the first question that is not answered as it should be. */
  check() {
    let first = null;
    for (const instance of this.shown) {
      const sentence = problemOf(instance);
      showProblem(instance.element, sentence);
      const legend = instance.element.querySelector('.problem');
      if (sentence) {
        count += 1;
        legend.id = `problem-${count}`;
        instance.element.setAttribute('aria-describedby', legend.id);
        first ??= instance;
      } else {
        instance.element.removeAttribute('aria-describedby');
      }
    }
    return first;
  }

  /** The question after `instance` (or from the top) that has no answer yet. */
  nextOpen(instance) {
    const shown = this.shown;
    return shown.slice(shown.indexOf(instance) + 1).find((each) => isBlank(each.control.get()))
      ?? null;
  }

  of(node) {
    const element = node instanceof Element ? node.closest('fieldset.question') : null;
    return this.#byElement.get(element) ?? null;
  }

  #asked() {
    const found = new Map();
    for (const question of this.questions) {
      const isOpen = question.when.every(([id, values]) => (
        flat(found.get(id)).some((value) => values.includes(value))
      ));
      const hasBase = !question.per || flat(found.get(question.per)).length > 0;
      if (isOpen && hasBase) found.set(question.id, question);
    }
    return [...found.values()];
  }

  #names(question) {
    return flat(this.questions.find((each) => each.id === question.per));
  }

  #sync() {
    const wanted = this.#asked().flatMap((question) => (
      (question.per ? this.#names(question) : ['']).map((name) => this.#instance(question, name))
    ));
    const elements = wanted.map((instance) => instance.element);
    // Elements that stay are not touched: to move one would take the focus away from it.
    for (const element of [...this.place.children]) {
      if (!elements.includes(element)) element.remove();
    }
    elements.forEach((element, index) => {
      if (this.place.children[index] !== element) {
        this.place.insertBefore(element, this.place.children[index] ?? null);
      }
    });
  }

  #instance(question, name) {
    const known = question.instances.get(name);
    if (known) return known;
    const element = question.template.content.firstElementChild.cloneNode(true);
    Object.assign(element.dataset, question.template.dataset);
    const more = element.querySelector('details.more');
    if (more && this.place.closest('.compact')) more.open = false;
    if (name) {
      const about = element.querySelector('.about');
      about.textContent = name;
      about.hidden = false;
    }
    const changed = (source) => {
      showProblem(element, '');
      this.#sync();
      this.changed(instance, source);
    };
    const control = ask(element, changed) ?? this.marks(element, changed);
    const instance = {
      question, name, element, control, changed,
    };
    setCurrent(element, false);
    control.set(null);
    question.instances.set(name, instance);
    this.#byElement.set(element, instance);
    return instance;
  }
}

let count = 0;

/** Mark the current question: digits choose only its options. */
export function setCurrent(element, isCurrent) {
  element.classList.toggle('current', isCurrent);
  for (const option of element.querySelectorAll('[data-digit]')) {
    const { key, digit } = option.dataset;
    const keys = [isCurrent ? digit : '', /\d/.test(key) ? '' : key].filter(Boolean);
    if (keys.length) option.setAttribute('aria-keyshortcuts', keys.join(' '));
    else option.removeAttribute('aria-keyshortcuts');
  }
}

const isBlank = (value) => value === null || value.length === 0;

/** The answers to a question that is asked once, as a list. */
function flat(question) {
  const value = question?.instances.get('')?.control.get() ?? null;
  if (value === null) return [];
  return [value].flat().map((each) => each.value ?? each);
}

function problemOf({ question, control }) {
  const value = control.get();
  const number = Array.isArray(value) ? value.length : Infinity;
  if (value === null || (number === 0 && question.least > 0)) {
    return question.required ? word('needs_answer') : '';
  }
  if (number < question.least) return word('at_least', { count: question.least });
  if (number !== Infinity && number > question.most) {
    return word('at_most', { count: question.most });
  }
  return '';
}
