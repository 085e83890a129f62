// Checks a text while it is written. Paragraphs that did not change are not sent again, so that an
// answer comes as fast in a long text as in a short one; what is outdated is called off.

import { call } from './api.js';
import { unitsOf } from './offsets.js';
import { data } from './words.js';

const WAIT = 100; // ms after the last key
const LONGEST_WAIT = 1000;
const WHOLE = 1500; // units: a shorter text is sent as it is
const AT_ONCE = 2000; // units: a few paragraphs at a time, so that the first are shown soon
const MOST_KNOWN = 3000;
const ENOUGH_ALIKE = 0.7;
const LOWEST = 0.1; // the lowest confidence that the page can show

export class Checker extends EventTarget {
  constructor(wishes) {
    super();
    this.wishes = wishes; // () => {kind, lang, least, reportLang}
    this.known = new Map(); // a paragraph and all wishes -> its findings
    this.sample = null; // the beginning of a text whose language was told
    this.took = 0;
    this.timer = 0;
    this.running = null;
  }

  /** Check soon; what runs now is called off at once. */
  soon(text) {
    this.stop();
    // A machine that is slow is not asked again at each key.
    const wait = Math.min(Math.max(WAIT, this.took / 2), LONGEST_WAIT);
    this.timer = setTimeout(() => this.now(text), text.trim() ? wait : 0);
  }

  stop() {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
  }

  async now(text) {
    this.stop();
    const controller = new AbortController();
    this.running = controller;
    try {
      const started = performance.now();
      await this.run(text, controller.signal);
      this.took = performance.now() - started;
    } catch (error) {
      // After an abort a newer check has taken over, and speaks for itself.
      if (!controller.signal.aborted) this.tell('problem', { error });
    }
    if (this.running === controller) this.running = null;
  }

  async run(text, signal) {
    const wishes = this.wishes();
    const asked = {
      kind: wishes.kind,
      // What `tactful check` reports; less sure findings are asked for when wanted.
      least: wishes.least < data.least ? LOWEST : data.least,
      report_lang: wishes.reportLang,
    };
    if (!text.trim()) {
      this.tell('found', { text, findings: [], isDone: true, model: null });
      return;
    }
    const blocks = blocksOf(text, asked.kind);
    let { lang } = wishes;
    const isShort = blocks.length === 1;
    if (lang === 'auto' && !isShort) lang = await this.language(text, asked, signal);
    this.tell('began', { total: blocks.length });
    const keyed = blocks.map((block, number) =>
      ({ ...block, number, key: JSON.stringify([lang, asked, block.text]) }));
    for (const group of groups(keyed.filter((block) => !this.known.has(block.key)))) {
      await this.ask(text, group, { ...asked, lang }, signal);
      this.emit(text, keyed, false);
    }
    this.emit(text, keyed, true);
    this.forget(keyed);
  }

  /** Tell the language of a long text from its beginning; a small change does not change it. */
  async language(text, asked, signal) {
    const start = text.slice(0, WHOLE);
    if (this.sample && alike(start, this.sample.text) >= ENOUGH_ALIKE) return this.sample.lang;
    const body = { ...asked, text: start, lang: 'auto', explanations: false, frames: 'off' };
    const answer = await (await call('/v1/check', body, { signal })).json();
    this.sample = { text: start, lang: answer.model.lang };
    return answer.model.lang;
  }

  async ask(text, group, asked, signal) {
    const { start } = group[0];
    const last = group[group.length - 1];
    const part = text.slice(start, last.start + last.text.length);
    const onWait = (message) => this.tell('waiting', { message });
    const answer = await (await call('/v1/check', { ...asked, text: part }, { signal, onWait })).json();
    const findings = inUnits(part, answer.documents[0].findings, start);
    const model = { ...answer.model, title: answer.documents[0].model };
    for (const block of group) {
      const end = block.start + block.text.length;
      const inside = findings.filter((each) => each.start >= block.start && each.start < end);
      // Kept as seen from the paragraph, which may move in the text.
      this.known.set(block.key, { model, findings: inside.map((each) => shifted(each, -block.start)) });
    }
  }

  emit(text, blocks, isDone) {
    const read = blocks.filter((block) => this.known.has(block.key));
    const findings = read.flatMap((block) =>
      this.known.get(block.key).findings.map((each) => shifted(each, block.start)));
    const model = this.known.get(read[0].key).model;
    this.tell('found', { text, findings, isDone, model, done: read.length, total: blocks.length });
  }

  /** Keep what the text holds, and of the rest the latest. */
  forget(blocks) {
    for (const { key } of blocks) {
      const found = this.known.get(key);
      this.known.delete(key);
      this.known.set(key, found);
    }
    for (const key of this.known.keys()) {
      if (this.known.size <= Math.max(MOST_KNOWN, blocks.length)) break;
      this.known.delete(key);
    }
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

// Markup, and what a writer waves through, can reach over paragraphs.
const isWhole = (text, kind) => kind !== 'plain' || text.length <= WHOLE || text.includes('tactful:');

/** The pieces of a text that can be checked by themselves. */
export const blocksOf = (text, kind) => (isWhole(text, kind) ? [{ start: 0, text }] : paragraphs(text));

/** The paragraphs of a plain text, which blank lines part; without the blank ones. */
function paragraphs(text) {
  const found = [];
  let start = 0;
  const add = (end) => {
    const piece = text.slice(start, end);
    if (piece.trim()) found.push({ start, text: piece });
  };
  for (const match of text.matchAll(/\n(?:[^\S\n]*\n)+/g)) {
    add(match.index);
    start = match.index + match[0].length;
  }
  add(text.length);
  return found;
}

/** Neighbours, a few at a time. */
function* groups(blocks) {
  let group = [];
  for (const block of blocks) {
    const end = block.start + block.text.length;
    const last = group[group.length - 1];
    const isFar = last && block.number !== last.number + 1;
    if (last && (isFar || end - group[0].start > AT_ONCE)) {
      yield group;
      group = [];
    }
    group.push(block);
  }
  if (group.length) yield group;
}

/** How much of two texts is the same at both ends, from 0 to 1. */
function alike(one, other) {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  return (start + end) / Math.max(one.length, other.length, 1);
}

function inUnits(text, findings, from) {
  const points = findings.flatMap((each) =>
    [each, ...each.kinds.flatMap((kind) => kind.spans)].flatMap((place) => [place.start, place.end]));
  const units = unitsOf(text, points);
  return findings.map((each) => placed(each, (at) => from + units.get(at)));
}

const shifted = (finding, by) => placed(finding, (at) => at + by);

/** A finding whose places, and those of its words, are moved. */
function placed(finding, move) {
  const moved = (place) => ({ ...place, start: move(place.start), end: move(place.end) });
  const kinds = finding.kinds.map((kind) => ({ ...kind, spans: kind.spans.map(moved) }));
  return { ...moved(finding), kinds };
}
