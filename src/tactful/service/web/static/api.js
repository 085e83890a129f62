// Calls of the service that this page came from; the page's policy allows no other.

import { askForKey } from './key.js';
import { kept } from './shelf.js';
import { data, word } from './words.js';

const BUSY = 429;
const NO_KEY = 401;
const MOST_TRIES = 6;

/** An answer other than the one that was asked for; its message can be shown. */
export class ServiceProblem extends Error {
  constructor(message, type) {
    super(message);
    this.type = type;
  }
}

/** Send a body and return the answer; waits and tries again while the service is busy. */
export async function call(path, body, { signal, onWait = () => {} } = {}) {
  for (let tries = 1; ; tries += 1) {
    const response = await send(path, body, signal);
    if (response.ok) return response;
    const { error = {} } = await response.json().catch(() => ({}));
    if (response.status === BUSY && tries < MOST_TRIES) {
      const seconds = Math.min(Number(response.headers.get('Retry-After')) || 1, 30);
      onWait(word('error_busy', { seconds }));
      await pause(seconds * 1000, signal);
    } else if (response.status === NO_KEY) {
      await askForKey(kept('key') ? word('error_key_wrong') : word('error_key'), signal);
    } else {
      throw problem(error);
    }
  }
}

async function send(path, body, signal) {
  const key = kept('key');
  const headers = { 'Content-Type': 'application/json', ...(key && { 'X-API-Key': key }) };
  try {
    // A lone half of a pair is no text; it is sent as the sign for what cannot be read.
    const text = JSON.stringify(body, (_, value) =>
      (typeof value === 'string' ? value.toWellFormed?.() ?? value : value));
    return await fetch(data.root + path, { method: 'POST', headers, body: text, signal });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ServiceProblem(word('error_offline'), 'OFFLINE');
  }
}

function problem(error) {
  const type = error.details?.[0]?.errorType ?? error.status ?? 'UNKNOWN';
  const said = {
    TEXT_TOO_LONG: () => word('error_long', { most: data.mostCharacters }),
    REQUEST_TOO_LARGE: () => word('error_long', { most: data.mostCharacters }),
    TOO_MANY_TOKENS: () => word('error_words', { most: data.mostWords }),
    LANGUAGE_NOT_SUPPORTED: () => word('error_lang'),
    NUL_IN_TEXT: () => word('error_nul'),
    TIMED_OUT: () => word('error_timeout'),
  }[type];
  return new ServiceProblem(said?.() ?? word('error_other', { message: error.message ?? '?' }), type);
}

export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}
