// The owner's pages work without this script; it makes them live, and quicker by keyboard.

import { codePoints } from './offsets.js';
import { nameOf } from './keys.js';

const EVERY = 10_000;
const SHOWN = 'tactful-texts-shown';

/** Blurs texts until they are shown; the choice is kept for this tab. */
class Veil {
  constructor(button) {
    this.button = button;
    this.isOn = !this.#remembered && document.body.classList.contains('veiled');
    button.hidden = false;
    document.querySelector('[data-veil-link]').hidden = true;
    button.addEventListener('click', () => this.turn());
    document.addEventListener('keydown', (event) => {
      const types = event.target.matches?.('textarea, select, input:not([type="radio"], [type="checkbox"])');
      if (types || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'b') this.turn();
    });
    this.apply();
  }

  // A browser without storage asks again on each page.
  get #remembered() {
    try { return sessionStorage.getItem(SHOWN) === 'yes'; } catch { return false; }
  }

  turn() {
    this.isOn = !this.isOn;
    try { sessionStorage.setItem(SHOWN, this.isOn ? 'no' : 'yes'); } catch { /* see above */ }
    this.apply();
  }

  apply() {
    document.body.classList.toggle('veiled', this.isOn);
    this.button.ariaPressed = String(!this.isOn);
    for (const each of document.querySelectorAll('.veil')) each.ariaHidden = this.isOn ? 'true' : null;
  }
}

const button = document.querySelector('[data-veil]');
const veil = button && new Veil(button);

/** Fetches the figures again and again, unless the page is hidden or somebody is using them. */
function keepLive(control) {
  const place = document.querySelector(control.dataset.live);
  const box = control.querySelector('input');
  control.hidden = false;
  setInterval(async () => {
    const isUsed = place.contains(document.activeElement) || !getSelection().isCollapsed;
    if (!box.checked || document.hidden || isUsed) return;
    try {
      const response = await fetch(place.dataset.source + location.search);
      // The server renders and escapes it, as it does for the whole page.
      if (response.ok && !response.redirected) {
        place.innerHTML = await response.text();
        veil?.apply();
      }
    } catch {
      // The server is away for a moment: the figures stay as they were, with their time.
    }
  }, EVERY);
}

function copyOnClick(button) {
  if (!navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const field = document.querySelector(button.dataset.copy);
    field.select();
    await navigator.clipboard.writeText(field.value);
    button.textContent = 'Copied';
  });
}

/** Chooses options by their keys, in the question that has the focus or is the first unanswered. */
function listenToKeys(form) {
  const questions = [...form.querySelectorAll('fieldset.question')];
  const inputs = (question) => [...question.querySelectorAll('input[data-key]')];
  const isOpen = (question) => inputs(question).length && !inputs(question).some((one) => one.checked);
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (event.isComposing || form.closest('details:not([open])')) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && form.contains(target)) {
      event.preventDefault();
      form.requestSubmit(form.querySelector('button.primary'));
      return;
    }
    const types = target.matches?.('textarea, select, input:not([type="radio"], [type="checkbox"])');
    if (types || event.ctrlKey || event.metaKey || event.altKey) return;
    const inside = target.closest?.('form[data-keys]');
    if (inside ? inside !== form : form !== document.querySelector('details[open] form[data-keys]')) return;
    const question = target.closest?.('fieldset.question') ?? questions.find(isOpen);
    const key = nameOf(event);
    const chosen = key && question && inputs(question).find((one) => one.dataset.key === key);
    if (!chosen) return;
    event.preventDefault();
    chosen.click();
    const next = questions.slice(questions.indexOf(question)).find(isOpen);
    (chosen.type === 'radio' && next ? inputs(next)[0] : chosen).focus();
  });
}

/** The selected part of the text as code points; null where nothing of it is selected. */
function selected(text) {
  const selection = getSelection();
  if (selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  if (!text.contains(range.startContainer) || !text.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const start = codePoints(before.toString()).length;
  return [start, start + codePoints(range.toString()).length];
}

function takeSpans(buttons) {
  const text = document.querySelector('#item-text');
  const field = buttons.closest('form').elements[buttons.dataset.take];
  // HTML turns line ends into others; places in the text must not move.
  text.textContent = JSON.parse(text.dataset.text);
  buttons.hidden = false;
  for (const button of buttons.querySelectorAll('button')) {
    // Pressing a button must not lose the selection.
    button.addEventListener('mousedown', (event) => event.preventDefault());
    button.addEventListener('click', () => {
      const place = selected(text);
      if (!place) return;
      const line = `${place[0]}-${place[1]} ${button.dataset.value}`;
      field.value = [...field.value.split('\n').filter((one) => one.trim()), line].join('\n');
    });
  }
}

document.querySelectorAll('[data-live]').forEach(keepLive);
document.querySelectorAll('[data-copy]').forEach(copyOnClick);
document.querySelectorAll('form[data-keys]').forEach(listenToKeys);
document.querySelectorAll('[data-take]').forEach(takeSpans);
