// Answers on their way to the server. Each is stored first and sent then, in order, until the
// server has taken it or refused it; without a network it waits and is sent later, once.

import { address } from './address.js';
import { newKey } from './storage.js';
import { word } from './words.js';

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30000;
const PATIENCE = 20000;
export const ANSWER = '/api/answer';

export class Queue {
  /** `tell` is called with {waiting, problem, refused, lost, stored} whenever something changes. */
  constructor(shelf, csrf, tell) {
    this.shelf = shelf;
    this.csrf = csrf;
    this.tell = tell;
    this.wait = FIRST_WAIT;
    this.timer = 0;
    this.running = null;
    addEventListener('online', () => this.send());
  }

  get waiting() {
    return this.shelf.read('queue', []);
  }

  /** Whether an item was answered here, and the server does not know it yet. */
  has(handle) {
    return this.waiting.some((entry) => entry.body.handle === handle);
  }

  /** The handles of items whose answer the server may not have. */
  get unstored() {
    const answers = this.waiting.filter((entry) => entry.path === ANSWER);
    return new Set(answers.map((entry) => entry.body.handle));
  }

  add(path, body) {
    const entry = { path, body: { ...body, key: newKey() } };
    const kept = this.shelf.write('queue', [...this.waiting, entry]);
    this.tell({ waiting: this.waiting.length, lost: !kept });
    return this.send();
  }

  /** Send all that waits; resolves when nothing waits or the server cannot be reached. */
  send() {
    this.running ??= this.#locked().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  #locked() {
    // Two windows of one person must not send in turns: the later answer has to come last.
    if (!navigator.locks) return this.#sendAll();
    return navigator.locks.request(`${this.shelf.prefix}send`, () => this.#sendAll());
  }

  async #sendAll() {
    clearTimeout(this.timer);
    for (let entry = this.waiting[0]; entry; entry = this.waiting[0]) {
      const outcome = await this.#sendOne(entry);
      if (outcome.again) {
        this.timer = setTimeout(() => this.send(), this.wait);
        this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
        this.tell({ waiting: this.waiting.length, problem: outcome.problem });
        return;
      }
      this.wait = FIRST_WAIT;
      // An answer that was added meanwhile comes after this one.
      const left = this.waiting.filter((each) => each.body.key !== entry.body.key);
      this.shelf.write('queue', left);
      const isStored = !outcome.refused && entry.path === ANSWER;
      this.tell({
        waiting: left.length,
        refused: outcome.refused,
        stored: isStored ? entry.body.handle : null,
      });
    }
  }

  async #sendOne(entry) {
    let response;
    try {
      response = await fetch(address(entry.path), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': this.csrf },
        body: JSON.stringify(entry.body),
        signal: AbortSignal.timeout(PATIENCE),
      });
    } catch {
      return { again: true, problem: 'offline' };
    }
    if (response.ok) return {};
    const sentence = await response.json().then((body) => body.error?.message, () => undefined) ?? word('odd_server');
    // Without a session nothing is lost: the person opens the invitation again.
    if ([401, 403, 408, 429].includes(response.status) || response.status >= 500) {
      return { again: true, problem: sentence };
    }
    return { refused: sentence };
  }
}
