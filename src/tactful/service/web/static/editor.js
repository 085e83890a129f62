// A field in which findings are marked while somebody writes.

import { Mirror } from './mirror.js';
import { change, moved } from './offsets.js';
import { keep, kept } from './shelf.js';

const LONG = 5000;

export class Editor extends EventTarget {
  constructor(name) {
    super();
    this.name = name;
    this.field = document.getElementById(name);
    this.frame = document.getElementById(`${name}-frame`);
    this.mirror = new Mirror(this.frame.querySelector('.mirror'));
    this.marks = [];
    this.current = null;
    this.isComposing = false;
    if (!this.field.value) this.field.value = kept(name);
    this.text = this.field.value;
    this.draw();
    this.field.addEventListener('input', () => this.follow());
    this.field.addEventListener('compositionstart', () => {
      this.isComposing = true;
    });
    this.field.addEventListener('compositionend', () => {
      this.isComposing = false;
      this.follow(true);
    });
    // A click or the arrow keys may lead into marked words.
    this.field.addEventListener('click', () => this.point());
    this.field.addEventListener('keyup', (event) => {
      if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End') this.point();
    });
    addEventListener('pagehide', () => keep(this.name, this.text));
  }

  follow(always = false) {
    const text = this.field.value;
    if (text !== this.text) {
      this.marks = moved(this.marks, change(this.text, text));
      this.text = text;
      this.draw();
    } else if (!always) {
      return;
    }
    // Half a syllable is nothing to read: what is being composed waits for its end.
    if (!this.isComposing) this.dispatchEvent(new Event('change'));
  }

  point() {
    const { selectionStart: at, selectionEnd: end } = this.field;
    if (at !== end) return;
    const over = this.marks.filter((mark) => mark.start <= at && at <= mark.end);
    over.sort((one, other) => (one.end - one.start) - (other.end - other.start));
    this.dispatchEvent(new CustomEvent('point', { detail: over[0]?.card ?? null }));
  }

  /** Replace the whole text. */
  replace(text) {
    this.put(0, this.field.value.length, text);
    this.field.setSelectionRange(0, 0);
    this.frame.scrollTop = 0;
  }

  /** Replace a piece of the text in a way that the field's undo knows; the caret is behind it. */
  put(start, end, text) {
    const { value } = this.field;
    const wanted = value.slice(0, start) + text + value.slice(end);
    this.field.focus();
    this.field.setSelectionRange(start, end);
    // The only way to change a field that undo remembers. It takes seconds for a long text: that
    // one is set at once, and undo starts anew.
    if (!text) document.execCommand('delete');
    else if (text.length <= LONG) document.execCommand('insertText', false, text);
    if (this.field.value !== wanted) this.field.value = wanted;
    this.field.setSelectionRange(start + text.length, start + text.length);
    this.follow();
  }

  /** Take back the last change, so that the text is `before` again. */
  undo(before) {
    this.field.focus();
    document.execCommand('undo');
    if (this.field.value !== before) this.replace(before);
    this.follow();
  }

  show(marks, current = this.current) {
    this.marks = marks;
    this.current = current;
    this.draw();
  }

  select(card) {
    if (card === this.current) return;
    this.current = card;
    this.draw();
  }

  /** Put the caret before the first words of a card, and show them. */
  go(card) {
    const first = this.marks.find((mark) => mark.card === card);
    if (first) this.field.setSelectionRange(first.start, first.start);
    this.reveal();
  }

  reveal() {
    this.mirror.reveal();
  }

  draw() {
    this.mirror.draw(this.text, this.marks, this.current);
  }
}
