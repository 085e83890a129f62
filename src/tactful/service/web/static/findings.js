// The list of findings beside a text: a button for each, which opens what there is to know.

import { data, element, nameOf, number, percent, word } from './words.js';

const LONGEST = 110;

const shorten = (text) => {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  const letters = Array.from(plain);
  return letters.length <= LONGEST ? plain : `${letters.slice(0, LONGEST - 1).join('')}…`;
};

export class Findings extends EventTarget {
  constructor(list, instead) {
    super();
    this.list = list;
    this.instead = instead; // a card -> what can be written instead
    this.cards = [];
    this.open = null; // the key of the card that shows its details
    this.isAllOpen = false; // on paper nothing can be opened
    this.drawn = new Map();
    list.addEventListener('keydown', (event) => this.step(event));
  }

  show(cards, text) {
    // A card whose words were changed goes on being the one that is looked at.
    if (this.open && !cards.some((card) => card.key === this.open)) {
      const at = this.cards.findIndex((card) => card.key === this.open);
      const same = cards[at]?.family === this.cards[at]?.family ? cards[at] : null;
      this.open = same?.key ?? null;
    }
    const focused = this.list.contains(document.activeElement)
      ? document.activeElement.closest('li')?.dataset.key : null;
    const line = lineCounter(text);
    const drawn = new Map();
    cards.forEach((card, index) => {
      const isOpen = this.isAllOpen || card.key === this.open;
      const sign = JSON.stringify([index, isOpen, line(card.start), card.kinds.map(facts)]);
      const old = this.drawn.get(card.key);
      const item = old?.sign === sign ? old.item : this.item(card, index + 1, isOpen, line(card.start));
      drawn.set(card.key, { sign, item });
    });
    this.cards = cards;
    this.text = text;
    this.drawn = drawn;
    const items = [...drawn.values()].map((each) => each.item);
    if (items.some((item, at) => item !== this.list.children[at]) || items.length !== this.list.children.length) {
      this.list.replaceChildren(...items);
    }
    if (focused && drawn.has(focused)) drawn.get(focused).item.querySelector('button').focus();
  }

  /** Open one card, or none; `reveal` brings it into view. */
  choose(key, { reveal = false, focus = false } = {}) {
    this.open = key;
    this.show(this.cards, this.text);
    const item = this.drawn.get(key)?.item;
    // Its details may be longer than the window; its head must be seen.
    if (reveal) item?.querySelector('button').scrollIntoView({ block: 'nearest' });
    if (focus) item?.querySelector('button').focus();
  }

  /** The key of the next card, or of that before, seen from the open one or else from the caret. */
  beside(step, caret) {
    if (!this.cards.length) return null;
    const open = this.cards.findIndex((card) => card.key === this.open);
    const passed = this.cards.filter((card) => card.start < caret).length;
    const from = open < 0 ? passed - (step > 0 ? 1 : 0) : open;
    return this.cards[(from + step + this.cards.length) % this.cards.length].key;
  }

  step(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = event.target.closest('li');
    if (!by || event.target.className !== 'finding-head') return;
    event.preventDefault();
    const beside = by > 0 ? item.nextElementSibling : item.previousElementSibling;
    beside?.querySelector('button').focus();
  }

  item(card, at, isOpen, line) {
    const [head, ...below] = card.kinds;
    const button = element(
      'button', 'finding-head',
      element('span', 'number', number(at)),
      element('span', 'name', head.name),
      bar(head.confidence),
      element('span', 'place', word('line', { line: number(line) })),
      element('span', 'quote', quoted(card)),
      below.length ? element('span', 'more', below.map((each) => each.name).join(' · ')) : null,
    );
    button.type = 'button';
    button.querySelector('.quote').dir = 'auto';
    button.setAttribute('aria-expanded', String(isOpen));
    const item = element('li', `finding f-${card.family}`, button);
    item.dataset.key = card.key;
    item.id = `finding-${at}`;
    if (isOpen) item.append(details(card, this.instead(card)));
    button.addEventListener('click', () => {
      const key = this.open === card.key ? null : card.key;
      this.dispatchEvent(new CustomEvent('choose', { detail: key }));
    });
    return item;
  }
}

const facts = (kind) => [kind.id, kind.confidence, kind.spans.map((span) => span.text)];

const quoted = ({ spans, finding }) =>
  word('words', { words: shorten(spans.map((span) => span.text).join(' … ') || finding.excerpt) });

/** Which line of a text a place is in; places are asked for in any order. */
function lineCounter(text) {
  const ends = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at);
  return (place) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] < place) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

export function bar(share) {
  const fill = element('span', 'fill');
  fill.style.inlineSize = `${100 * share}%`;
  const track = element('span', 'track', fill);
  track.setAttribute('aria-hidden', 'true');
  return element('span', 'sure', track, element('b', '', percent(share)));
}

function details({ kinds, finding }, instead) {
  const box = element('div', 'details');
  const [main, ...others] = kinds;
  box.append(one(main, finding, instead), ...others.map((kind) => one(kind)));
  return box;
}

/** What there is to know about a kind; with its finding about the main one. */
function one(kind, finding = null, instead = []) {
  const isBelow = finding === null;
  const entry = data.entries[kind.id];
  const part = element(isBelow ? 'details' : 'div', isBelow ? 'below' : '');
  if (isBelow) part.append(element('summary', '', kind.name, ' ', bar(kind.confidence)));
  if (isBelow && kind.spans.length) {
    const words = kind.spans.map((span) => shorten(span.text));
    const quote = element('p', 'quote', word('words', { words: words.join(' … ') }));
    quote.dir = 'auto';
    part.append(quote);
  }
  if (entry) {
    const label = element('span', 'think-label', word('think'));
    part.append(element('p', 'think', label, element('span', '', entry.think)));
  }
  for (const each of finding?.implications ?? []) part.append(implied(each));
  if (instead.length) part.append(element('h5', '', word('instead')), ...instead);
  const why = isBelow ? kind.explanation : finding.explanation;
  if (why) part.append(element('h5', '', word('why')), element('p', 'why', why));
  if (entry) part.append(taxonomy(kind.id, entry));
  return part;
}

function implied({ group, statement, probability }) {
  const text = statement === null ? word('about', { group }) : word('implies', { group, statement });
  const sure = probability === null ? '' : ` (${percent(probability)})`;
  const caveat = element('span', 'muted small', ` ${word('caveat')}`);
  return element('p', 'implied', text + sure, caveat);
}

function taxonomy(id, entry) {
  const list = (title, lines) => [
    element('h5', '', word(title)),
    element('ul', '', ...lines.map((line) => element('li', '', line))),
  ];
  return element(
    'details', 'taxonomy',
    element('summary', '', `${word('taxonomy')}: ${nameOf(id)}`),
    element('p', '', entry.definition),
    element('h5', '', word('example')),
    element('p', 'quote', word('words', { words: entry.example })),
    ...list('ask', entry.ask),
    ...list('not_when', entry.notWhen),
    element('p', 'muted small', `${word('source')}: ${entry.source} · `, element('code', '', id)),
  );
}
