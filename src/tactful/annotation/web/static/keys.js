// Keys. An option is chosen by a key it shows: its letter, or its digit while one is at its question.
// The app's own keys are the same in all protocols (tactful.annotation.protocol.hotkeys keeps them free).
// While somebody types, letters are letters.

const isField = (node) => node.matches?.('textarea, input[type="text"]');
const isPressed = (node) => node.matches?.('button, a, summary');

/** The key as the protocol names it; also on keyboards without Latin letters or digits. */
export function nameOf(event) {
  const key = event.key.toLowerCase();
  if (/^[a-z0-9?]$/.test(key) || key.length > 1) return event.shiftKey && key !== '?' ? '' : key;
  const [, letter] = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(event.code) ?? [];
  return letter && !event.shiftKey ? letter.toLowerCase() : '';
}

/** Whether a key would do something if a text were there. */
function isMeant(event, desk) {
  if (isPressed(event.target)) return false;
  if (event.key === 'Enter') return true;
  if (event.ctrlKey || event.metaKey || event.altKey || !desk.hasSingleKeys) return false;
  const key = nameOf(event);
  return key.length === 1 || key === 'backspace';
}

export function listenToKeys(desk) {
  const commands = {
    g: () => desk.openGuideline(),
    '?': () => desk.openGuideline(),
    b: () => desk.turnCover(),
    s: () => desk.skip(),
    u: () => desk.undo(),
    backspace: () => desk.undo(),
  };
  const answers = {
    '.': () => desk.settle('take'),
    '-': () => desk.settle('refuse'),
  };

  document.addEventListener('keydown', (event) => {
    if (event.isComposing || event.defaultPrevented || document.querySelector('dialog[open]')) return;
    const { target } = event;
    const withCtrl = event.ctrlKey || event.metaKey;
    const isAnswer = event.key === 'Enter' ? !event.shiftKey
      : !isField(target) && nameOf(event).length === 1;
    if (event.repeat && isAnswer) {
      // A key that is held down must not answer the next question or the next text as well.
      event.preventDefault();
      return;
    }
    if (!desk.isReady) {
      if (isMeant(event, desk)) desk.tellTooSoon();
      return;
    }
    const run = (action) => {
      event.preventDefault();
      action();
    };
    if (event.key === 'Enter') {
      if (withCtrl) run(() => desk.save());
      else if (!isPressed(target) && !(event.shiftKey && isField(target))) run(() => desk.advance());
    } else if (isField(target)) {
      if (event.key === 'Escape') run(() => desk.leaveField());
    } else if (withCtrl && event.key === 'z') {
      run(() => desk.undo());
    } else if (!withCtrl && !event.altKey && desk.hasSingleKeys) {
      const key = nameOf(event);
      if (commands[key]) run(commands[key]);
      else if (desk.isCovered) return;
      else if (answers[event.key]?.() || (key.length === 1 && desk.choose(key))) event.preventDefault();
    }
  });
}
