// The fields with which somebody says what to look for, and how sure that has to be.

import { percent } from './words.js';

const field = (name) => document.getElementById(name);

/** Watch a slider; its value is a share of 1. */
export function slider(name, onChange) {
  const input = field(name);
  const output = field(`${name}-value`);
  const show = () => {
    output.textContent = percent(input.value / 100);
    input.setAttribute('aria-valuetext', output.textContent);
  };
  input.addEventListener('input', () => {
    show();
    onChange();
  });
  show();
  return () => Number(input.value) / 100;
}

/** Watch a list to choose from. */
export function choice(name, onChange) {
  field(name).addEventListener('change', onChange);
  return () => field(name).value;
}
