// Asking for an API key, where the service wants one; one window, however many calls wait for it.

import { keep } from './shelf.js';
import { element, word } from './words.js';

let asking = null;

/** Resolve when a key was given; it is then on the shelf. */
export function askForKey(why, signal) {
  asking ??= ask(why).finally(() => {
    asking = null;
  });
  return Promise.race([asking, new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  })]);
}

function ask(why) {
  const field = element('input');
  Object.assign(field, { type: 'password', required: true, autocomplete: 'off', name: 'key' });
  const use = element('button', 'button primary', word('key_use'));
  const label = element('label', 'choice', word('key_label'), field);
  const hint = element('p', 'muted small', word('key_hint'));
  const form = element('form', '', element('h2', '', why), label, hint, use);
  const dialog = element('dialog', 'key', form);
  dialog.setAttribute('aria-label', why);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      keep('key', field.value.trim());
      dialog.close();
    });
    dialog.addEventListener('cancel', (event) => event.preventDefault());
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve();
    });
  });
}
