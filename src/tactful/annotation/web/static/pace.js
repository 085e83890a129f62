// The pace of the work.

import { word } from './words.js';

/** Seconds during which the page is seen and the text is not covered. */
export class Clock {
  #spent = 0;
  #since = null;
  #isPaused = false;

  constructor() {
    document.addEventListener('visibilitychange', () => this.#turn());
  }

  start(spent = 0) {
    this.#spent = spent * 1000;
    this.#since = null;
    this.#turn();
  }

  pause(isPaused) {
    this.#isPaused = isPaused;
    this.#turn();
  }

  seconds() {
    const running = this.#since === null ? 0 : performance.now() - this.#since;
    return Math.round((this.#spent + running) / 100) / 10;
  }

  #turn() {
    const isRunning = !this.#isPaused && !document.hidden;
    const now = performance.now();
    if (this.#since !== null) this.#spent += now - this.#since;
    this.#since = isRunning ? now : null;
  }
}

/** The work since the page was opened. */
export class Pace {
  #seconds = [];
  left = null;

  add(seconds) {
    this.#seconds.push(seconds);
    if (this.left !== null) this.left = Math.max(0, this.left - 1);
  }

  sentence() {
    const parts = [];
    const number = this.#seconds.length;
    if (number) {
      // The median: a long pause at one text does not change it.
      const middle = [...this.#seconds].sort((one, other) => one - other)[Math.floor(number / 2)];
      const seconds = Math.max(1, Math.round(middle));
      parts.push(word('done', { count: number }), word('each', { count: seconds }));
    }
    if (this.left !== null) parts.push(word('left', { count: this.left }));
    return parts.join(' · ');
  }
}
