// Marking pieces of a text, by keyboard, mouse or touch. A mark may have gaps: more words can be
// added to it, and then it has `parts`, in order, as the server knows them.
// The selection is the browser's own; this remembers it in code points, since a tap on a button or
// a new drawing of the text would lose it.

import { word as said } from './words.js';
import { aroundLetter, letters, words } from './offsets.js';
import { removeButton } from './controls.js';
import {
  SAID, copy, gap, idOf, inOrder, joinButton, joinHint, partsOf, spanOf,
} from './marks.js';

export class Marker {
  /** `slot` holds the list of marks, beside the text. */
  constructor(view, caret, slot, say) {
    this.view = view;
    this.slot = slot;
    this.caret = caret;
    this.say = say;
    this.controls = [];
    this.hint = joinHint();
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
    this.last = null;
    this.slot.replaceChildren(this.hint);
    this.isOn = isOn;
    this.edges = [0, ...letters(view.text, view.lang).map((letter) => letter.end)];
    this.words = words(view.text, view.lang);
    this.caret.hidden = true;
    const { place } = view;
    if (isOn) {
      place.tabIndex = 0;
      place.setAttribute('role', 'application');
      place.setAttribute('aria-roledescription', said('mark_text'));
      place.setAttribute('aria-label', view.text);
      place.setAttribute('aria-describedby', `span-keys ${this.hint.id}`);
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
      key: button.dataset.key || button.dataset.digit || String(index + 1),
      name: button.querySelector('.name').textContent,
    }]));
    const box = element.querySelector('.marked-box');
    this.hint.before(box);
    const control = {
      kinds,
      spans: [],
      hasGaps: element.dataset.gaps !== 'no',
      get: () => control.spans.map(copy),
      set: (value) => {
        control.spans = (value ?? []).map(copy);
        this.#draw();
        this.#list(box, control, changed);
      },
      toggle: (value) => {
        const [start, end] = this.#chosen();
        if (start === end) {
          this.say(SAID.selectFirst);
          return;
        }
        const isHere = ([from, to]) => from === start && to === end;
        const had = control.spans.find((span) => (
          span.value === value && partsOf(span).some(isHere)
        ));
        const left = had ? partsOf(had).filter((part) => !isHere(part)) : [];
        const fresh = had ? left : [[start, end]];
        this.#replace(control, had, fresh.length ? [spanOf(fresh, value)] : []);
        const { name } = kinds.get(value);
        this.say((had ? SAID.unmarked : SAID.marked)(this.#cut(start, end), name));
        changed();
      },
      join: (span) => {
        const [start, end] = this.#chosen();
        if (start === end) {
          this.say(SAID.selectFirst);
          return;
        }
        const parts = this.#joined([...partsOf(span), [start, end]]);
        if (parts.length > 1 && !control.hasGaps) {
          this.say(SAID.noGaps);
          return;
        }
        if (idOf(spanOf(parts, span.value)) === idOf(span)) {
          this.say(SAID.partAlready(this.#cut(start, end)));
          return;
        }
        this.#replace(control, span, [spanOf(parts, span.value)]);
        this.say(SAID.joined(this.#cut(start, end), this.#words(span), kinds.get(span.value).name));
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

  #words(span) {
    return partsOf(span).map((part) => this.#cut(...part)).join(' … ');
  }

  /** Put marks in the place of one (or of none); the new one is that which more words go to. */
  #replace(control, old, fresh) {
    const names = fresh.map(idOf);
    const left = control.spans.filter((span) => span !== old && !names.includes(idOf(span)));
    this.last = fresh.length ? { control, name: names[0] } : null;
    control.set([...left, ...fresh].sort(inOrder));
  }

  /** Parts in order; those that overlap, touch or have only spaces between them are one. */
  #joined(parts) {
    const found = [];
    for (const [start, end] of parts.sort((one, other) => one[0] - other[0])) {
      const last = found.at(-1);
      if (last && (start <= last[1] || !this.#cut(last[1], start).trim())) {
        last[1] = Math.max(last[1], end);
      } else {
        found.push([start, end]);
      }
    }
    return found;
  }

  /** Add what is selected to the mark that was made or changed last, or to the only one. */
  #join() {
    const all = this.controls.flatMap((control) => control.spans.map((span) => [control, span]));
    const chosen = all.find(([control, span]) => (
      control === this.last?.control && idOf(span) === this.last.name
    )) ?? (all.length === 1 ? all[0] : null);
    if (chosen) chosen[0].join(chosen[1]);
    else this.say(all.length ? SAID.whichMark : SAID.markFirst);
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
    this.hint.hidden = !this.controls.some((each) => each.hasGaps && each.spans.length);
    list.replaceChildren(...control.spans.map((span) => {
      const kind = control.kinds.get(span.value);
      const item = document.createElement('li');
      partsOf(span).forEach((part, index) => {
        if (index) item.append(gap());
        const cited = document.createElement('bdi');
        cited.textContent = `“${this.#cut(...part)}”`;
        item.append(cited);
      });
      const name = document.createElement('span');
      name.className = `tag hue-${kind.hue}`;
      name.textContent = kind.name;
      const what = `${this.#words(span)}: ${kind.name}`;
      const join = control.hasGaps ? [joinButton(what, () => control.join(span))] : [];
      item.append(' ', name, ...join, removeButton(what, () => {
        control.set(control.spans.filter((each) => each !== span));
        this.say(SAID.gone(what));
        changed();
        (list.querySelector('.remove') ?? this.view.place).focus();
      }));
      return item;
    }));
  }

  #key(event) {
    if (!this.isOn) return;
    if (event.key === '+' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      event.stopPropagation();
      this.#join();
      return;
    }
    const to = this.#target(event);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    this.focus = to;
    if (!event.shiftKey) this.anchor = to;
    this.#show();
    this.#tell();
  }

  /** The target of a key; null for keys without one. */
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
      this.say(said('mark_selected', { words: this.#cut(start, end) }));
    } else {
      const word = this.words.find((each) => each.start <= this.focus && this.focus <= each.end);
      this.say(word ? word.text : this.#cut(this.focus, this.focus + 1) || said('mark_end'));
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
