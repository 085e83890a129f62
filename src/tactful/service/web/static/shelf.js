// What stays in this tab: the text somebody is writing, and an API key. Closing the tab ends it.
// A browser may refuse to store (private windows): then it holds until the page is left.

const memory = new Map();

export function keep(name, value) {
  try {
    if (value) sessionStorage.setItem(`tactful:${name}`, value);
    else sessionStorage.removeItem(`tactful:${name}`);
    memory.delete(name);
  } catch {
    memory.set(name, value);
  }
}

export function kept(name) {
  try {
    return memory.get(name) ?? sessionStorage.getItem(`tactful:${name}`) ?? '';
  } catch {
    return memory.get(name) ?? '';
  }
}
