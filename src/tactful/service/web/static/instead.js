// What to write instead of a finding: its replacements, and rewrites by the chat model of the
// service. Nothing is put into the text unless somebody chooses it.

import { call } from './api.js';
import { button, data, element, nameOf, percent, tell, tellDone, word } from './words.js';

/** Whether the words of a card are in a text as they are, without markup between them. */
const isPlain = ({ spans: [{ start, end, text }] }, source) => source.slice(start, end) === text;

export class Instead {
  constructor(editor, { textOf, cardOf, request, onUse }) {
    this.editor = editor;
    this.textOf = textOf; // the text in which the findings were found
    this.cardOf = cardOf; // the key of a card -> the card
    this.request = request; // a card -> what the service is asked for
    this.onUse = onUse;
    this.rewrites = new Map(); // the key of a card -> what is shown of its rewrite
  }

  /** What the details of a card offer. */
  of(card) {
    const { suggestions, advice } = card.finding;
    const found = [];
    const isUsable = suggestions && isPlain(card, this.textOf());
    if (isUsable) {
      found.push(element('p', 'choices only-writing', ...suggestions.map((words) =>
        button(word('use', { words }), () => this.use(card.key, words)))));
    }
    if (suggestions || advice) {
      const text = suggestions?.join(' · ') ?? advice;
      found.push(element('p', isUsable ? 'instead only-reading' : 'instead', text));
    }
    if (data.rewrites) {
      if (!this.rewrites.has(card.key)) this.rewrites.set(card.key, this.box(card.key));
      found.push(this.rewrites.get(card.key));
    }
    return found;
  }

  /** Replace the words of a card, with its first suggestion if no other is named. */
  use(key, words) {
    const card = this.cardOf(key);
    const chosen = words ?? card?.finding.suggestions?.[0];
    const mark = this.markOf(key);
    const old = card?.spans[0].text;
    if (!chosen || !mark || this.editor.text.slice(mark.start, mark.end) !== old) {
      tell(word('no_replacement'));
      return;
    }
    this.put(mark.start, mark.end, chosen, word('replaced', { old, new: chosen }));
  }

  /** Where the first words of a card are now: marks move along while somebody writes. */
  markOf(key) {
    return this.editor.marks.find((mark) => mark.card === key);
  }

  put(start, end, words, said) {
    const before = this.editor.text;
    this.editor.put(start, end, words);
    this.onUse();
    const undo = button(word('undo'), () => {
      this.editor.undo(before);
      tellDone(word('undone'));
    });
    tellDone(said, ' ', undo);
  }

  box(key) {
    const said = element('p', 'rewrite-status');
    said.setAttribute('role', 'status');
    const answer = element('div');
    const ask = button(word('rewrite'), async () => {
      if (ask.ariaDisabled === 'true') return; // a disabled button would lose the focus
      ask.ariaDisabled = 'true';
      answer.replaceChildren();
      said.textContent = word('rewrite_asking');
      try {
        const [sentence] = await this.ask(key);
        said.textContent = this.answered(sentence);
        if (sentence?.rewrite.text) answer.append(...this.compared(key, sentence));
      } catch (error) {
        said.textContent = error.type === 'TIMED_OUT' ? word('rewrite_slow') : error.message;
      }
      ask.ariaDisabled = null;
    });
    return element('div', 'rewrite only-writing', ask, element('p', 'muted small', word('rewrite_hint')), said, answer);
  }

  async ask(key) {
    const answer = await call('/v1/rewrite', this.request(this.cardOf(key)));
    return (await answer.json()).sentences;
  }

  answered(sentence) {
    if (!sentence) return word('rewrite_nothing');
    const { text, better, problem } = sentence.rewrite;
    if (text === null) return word('rewrite_none', { problem });
    return better ? word('rewrite_better') : word('rewrite_no_better');
  }

  /** Both versions with their scores, what to look at, and the button that uses the new one. */
  compared(key, { text, kinds, rewrite }) {
    const list = element(
      'dl', 'rewrite-versions',
      element('dt', '', word('rewrite_before', { score: percent(rewrite.score_before) })),
      element('dd', 'quote', text),
      element('dt', '', word('rewrite_after', { score: percent(rewrite.score_after) })),
      element('dd', 'quote', rewrite.text),
    );
    for (const each of list.querySelectorAll('dd')) each.dir = 'auto';
    // A change reads like: '30' is missing.
    const changes = rewrite.changes.map((each) => each.replace(/^'(.*)' is \w+$/, '$1')).join(', ');
    const fresh = Object.keys(rewrite.found).filter((id) => !(id in kinds)).map(nameOf);
    return [
      list,
      fresh.length ? element('p', '', word('rewrite_new', { kinds: fresh.join(', ') })) : null,
      changes ? element('p', '', word('rewrite_changes', { changes })) : null,
      this.placeOf(key, text)
        ? button(word('rewrite_use'), () => this.useRewrite(key, text, rewrite.text))
        : element('p', 'muted', word('rewrite_copy')),
    ].filter((each) => each !== null);
  }

  useRewrite(key, sentence, words) {
    const place = this.placeOf(key, sentence);
    if (place) this.put(place.start, place.end, words, word('rewritten'));
    else tell(word('rewrite_copy'));
  }

  /** Where a sentence stands in the text, nearest to its card; nowhere with markup inside. */
  placeOf(key, sentence) {
    const near = this.markOf(key)?.start ?? 0;
    const literal = (part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const pattern = new RegExp(sentence.split(' ').map(literal).join('\\s+'), 'g');
    const [found] = [...this.editor.text.matchAll(pattern)]
      .sort((one, other) => Math.abs(one.index - near) - Math.abs(other.index - near));
    return found && { start: found.index, end: found.index + found[0].length };
  }
}
