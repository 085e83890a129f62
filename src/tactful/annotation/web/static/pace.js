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

/** The work since the page was opened, and how much is left of a day's limit. */
export class Pace {
  #seconds = new Map();
  #stored = new Set();
  /** Texts answered today before this page was opened. */
  today = null;
  left = null;

  /** Take what the server says; it does not know the answers to `unstored` items yet. */
  take({ today, left }, unstored) {
    this.today ??= today + unstored.size;
    this.left = left === null ? null : Math.max(0, left - unstored.size);
  }

  /** Texts answered today. */
  get done() {
    return (this.today ?? 0) + this.#seconds.size;
  }

  add(handle, seconds) {
    if (this.left !== null && !this.#seconds.has(handle)) this.left = Math.max(0, this.left - 1);
    this.#seconds.set(handle, seconds);
  }

  /** The server has the answer. */
  store(handle) {
    this.#stored.add(handle);
  }

  sentence() {
    const parts = [];
    if (this.#stored.size) parts.push(word('done', { count: this.#stored.size }));
    const sorted = [...this.#seconds.values()].sort((one, other) => one - other);
    if (sorted.length) {
      // The median: a long pause at one text does not change it.
      const middle = sorted[Math.floor(sorted.length / 2)];
      parts.push(word('each', { count: Math.max(1, Math.round(middle)) }));
    }
    if (this.left !== null) parts.push(word('left', { count: this.left }));
    return parts.join(' · ');
  }
}
