// Data kept in this browser until the server has it: waiting answers, and drafts.
// Each project has a shelf of its own: another one may be served at the same address one day, and
// what waits for this one is kept until it is there again.
// A browser may refuse to store (private windows, a full disk): then memory is used.

const memory = new Map();
const DRAFT_DAYS = 7;

export class Shelf {
  constructor(project, person) {
    this.prefix = `tactful:${project}:${person}:`;
  }

  read(name, otherwise = null) {
    const key = this.prefix + name;
    try {
      const found = localStorage.getItem(key);
      return found === null ? (memory.get(key) ?? otherwise) : JSON.parse(found);
    } catch {
      return memory.get(key) ?? otherwise;
    }
  }

  /** Whether it will survive closing the browser. */
  write(name, value) {
    const key = this.prefix + name;
    try {
      localStorage.setItem(key, JSON.stringify(value));
      memory.delete(key);
      return true;
    } catch {
      memory.set(key, value);
      return false;
    }
  }

  remove(name) {
    memory.delete(this.prefix + name);
    try {
      localStorage.removeItem(this.prefix + name);
    } catch {
      // It was never stored.
    }
  }

  names() {
    try {
      return Object.keys(localStorage)
        .filter((key) => key.startsWith(this.prefix))
        .map((key) => key.slice(this.prefix.length));
    } catch {
      return [];
    }
  }

  /** Forget drafts of items that went to others long ago. */
  sweep(now = Date.now()) {
    for (const name of this.names().filter((each) => each.startsWith('draft:'))) {
      const draft = this.read(name);
      if (!draft || now - draft.at > DRAFT_DAYS * 86400000) this.remove(name);
    }
  }
}

/** A key of its own for each answer, so that one that is sent twice counts once. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_');
}
