// Marking pieces of a text, by keyboard, mouse or touch.
// The selection is the browser's own; this remembers it in code points, since a tap on a button or
// a new drawing of the text would lose it.

import { aroundLetter, letters, words } from './offsets.js';
import { removeButton } from './controls.js';

export class Marker {
  /** `slot` is where the list of what was marked stands: beside the text, in sight of it. */
  constructor(view, caret, slot, say) {
    this.view = view;
    this.slot = slot;
    this.caret = caret;
    this.say = say;
    this.controls = [];
    view.place.addEventListener('keydown', (event) => this.#key(event));
    view.place.addEventListener('focus', () => this.#show());
    view.place.addEventListener('blur', () => { this.caret.hidden = true; });
    document.addEventListener('selectionchange', () => this.#read());
    addEventListener('resize', () => this.#drawCaret());
  }

  /** Begin with a text; `isOn` says whether it is to be marked at all. */
  begin(isOn) {
    const { view } = this;
    this.anchor = 0;
    this.focus = 0;
    this.controls = [];
    this.slot.replaceChildren();
    this.isOn = isOn;
    this.edges = [0, ...letters(view.text, view.lang).map((letter) => letter.end)];
    this.words = words(view.text, view.lang);
    this.caret.hidden = true;
    const { place } = view;
    if (isOn) {
      place.tabIndex = 0;
      place.setAttribute('role', 'application');
      place.setAttribute('aria-roledescription', 'text to mark');
      place.setAttribute('aria-label', view.text);
      place.setAttribute('aria-describedby', 'span-keys');
    } else {
      place.tabIndex = -1;
      for (const name of ['role', 'aria-roledescription', 'aria-label', 'aria-describedby']) {
        place.removeAttribute(name);
      }
    }
  }

  /** The control of a question of the kind `spans`. */
  controlOf(element, changed) {
    const buttons = [...element.querySelectorAll('.mark')];
    const kinds = new Map(buttons.map((button, index) => [button.dataset.value, {
      hue: index % 8,
      key: button.dataset.key || String(index + 1),
      name: button.querySelector('.name').textContent,
    }]));
    const box = element.querySelector('.marked-box');
    this.slot.append(box);
    const control = {
      kinds,
      spans: [],
      get: () => control.spans.map((span) => ({ ...span })),
      set: (value) => {
        control.spans = (value ?? []).map((span) => ({ ...span }));
        this.#draw();
        this.#list(box, control, changed);
      },
      toggle: (value) => {
        const [start, end] = this.#chosen();
        if (start === end) {
          this.say('Select some words first.');
          return;
        }
        const same = (span) => span.start === start && span.end === end && span.value === value;
        const had = control.spans.some(same);
        const left = control.spans.filter((span) => !same(span));
        control.set(had ? left : [...left, { start, end, value }].sort(inOrder));
        this.say(`${had ? 'Unmarked' : 'Marked'} “${this.#cut(start, end)}”: ${kinds.get(value).name}.`);
        changed();
      },
    };
    for (const button of buttons) {
      // The text keeps the focus and its selection while a button is pressed.
      button.addEventListener('pointerdown', (event) => event.preventDefault());
      button.addEventListener('click', () => control.toggle(button.dataset.value));
    }
    this.controls.push(control);
    return control;
  }

  #cut(start, end) {
    return Array.from(this.view.text).slice(start, end).join('');
  }

  /** What is selected, from letter to letter and without spaces around; else the word here. */
  #chosen() {
    let start = aroundLetter(this.edges, Math.min(this.anchor, this.focus))[0];
    let end = aroundLetter(this.edges, Math.max(this.anchor, this.focus))[1];
    if (start === end) {
      const word = this.words.find((each) => each.start <= this.focus && this.focus <= each.end);
      return word ? [word.start, word.end] : [start, end];
    }
    const characters = Array.from(this.view.text);
    while (start < end && /\s/u.test(characters[start])) start += 1;
    while (start < end && /\s/u.test(characters[end - 1])) end -= 1;
    return [start, end];
  }

  #draw() {
    this.view.draw(this.controls.flatMap((control) => (
      control.spans.map((span) => ({ ...span, ...control.kinds.get(span.value) }))
    )));
    this.#show();
  }

  #list(box, control, changed) {
    const list = box.querySelector('.marked');
    box.querySelector('.none').hidden = control.spans.length > 0;
    list.replaceChildren(...control.spans.map((span) => {
      const kind = control.kinds.get(span.value);
      const item = document.createElement('li');
      const cited = document.createElement('bdi');
      cited.textContent = `“${this.#cut(span.start, span.end)}”`;
      const name = document.createElement('span');
      name.className = `tag hue-${kind.hue}`;
      name.textContent = kind.name;
      const what = `${this.#cut(span.start, span.end)}: ${kind.name}`;
      item.append(cited, ' ', name, removeButton(what, () => {
        control.set(control.spans.filter((each) => each !== span));
        this.say(`Unmarked ${what}.`);
        changed();
        (list.querySelector('.remove') ?? this.view.place).focus();
      }));
      return item;
    }));
  }

  #key(event) {
    if (!this.isOn) return;
    const to = this.#target(event);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.focus = to;
    if (!event.shiftKey) this.anchor = to;
    this.#show();
    this.#tell();
  }

  /** Where a key leads; null for keys that lead nowhere. */
  #target(event) {
    const isLetter = event.ctrlKey || event.altKey;
    const isTurned = getComputedStyle(this.view.place).direction === 'rtl';
    switch (event.key) {
      case 'ArrowLeft': return this.#step(isTurned ? 1 : -1, isLetter);
      case 'ArrowRight': return this.#step(isTurned ? -1 : 1, isLetter);
      case 'ArrowUp': return this.#line(-1);
      case 'ArrowDown': return this.#line(1);
      case 'Home': return 0;
      case 'End': return this.view.length;
      case 'a': return event.ctrlKey || event.metaKey ? this.#all() : null;
      default: return null;
    }
  }

  #all() {
    this.anchor = 0;
    this.focus = this.view.length;
    this.#show();
    return null;
  }

  #step(way, isLetter) {
    const stops = isLetter ? this.edges : this.#wordStops(way);
    if (way > 0) return stops.find((stop) => stop > this.focus) ?? this.view.length;
    return stops.findLast((stop) => stop < this.focus) ?? 0;
  }

  /** Forwards one stops behind words, backwards before them; a selection keeps its side. */
  #wordStops(way) {
    return this.words.map((word) => (way > 0 ? word.end : word.start));
  }

  #line(way) {
    const here = this.view.rectAt(this.focus);
    const height = here.height || 20;
    let best = null;
    for (const word of this.words) {
      const rect = this.view.rectAt(word.start);
      const lines = Math.round((rect.top - here.top) / height);
      if (Math.sign(lines) === way) {
        const far = Math.abs(lines) * 100000 + Math.abs(rect.left - here.left);
        if (best === null || far < best.far) best = { far, at: word.start };
      }
    }
    return best?.at ?? (way > 0 ? this.view.length : 0);
  }

  #tell() {
    if (this.anchor !== this.focus) {
      const [start, end] = this.#chosen();
      this.say(`Selected: ${this.#cut(start, end)}`);
    } else {
      const word = this.words.find((each) => each.start <= this.focus && this.focus <= each.end);
      this.say(word ? word.text : this.#cut(this.focus, this.focus + 1) || 'end of the text');
    }
  }

  /** Put the browser's selection where this one is. */
  #show() {
    const isHere = document.activeElement === this.view.place;
    if (!this.isOn || (!isHere && this.anchor === this.focus)) return;
    getSelection().setBaseAndExtent(
      ...this.view.placeAt(this.anchor), ...this.view.placeAt(this.focus),
    );
    this.#drawCaret();
  }

  #drawCaret() {
    const isHere = this.isOn && document.activeElement === this.view.place;
    this.caret.hidden = !isHere;
    if (!isHere) return;
    const rect = this.view.rectAt(this.focus);
    const frame = this.caret.offsetParent.getBoundingClientRect();
    this.caret.style.left = `${rect.left - frame.left}px`;
    this.caret.style.top = `${rect.top - frame.top}px`;
    this.caret.style.height = `${rect.height}px`;
  }

  /** Take over what was selected with the mouse or a finger. */
  #read() {
    if (!this.isOn) return;
    const selection = getSelection();
    const anchor = this.view.offsetAt(selection.anchorNode, selection.anchorOffset);
    const focus = this.view.offsetAt(selection.focusNode, selection.focusOffset);
    if (anchor === null || focus === null) return;
    this.anchor = anchor;
    this.focus = focus;
    this.#drawCaret();
  }
}

const inOrder = (one, other) => one.start - other.start || one.end - other.end;
