// Two versions of a text, and what became better or worse from the first to the second.

import { cardsOf, marksOf } from './cards.js';
import { Checker } from './checker.js';
import { Editor } from './editor.js';
import { bar } from './findings.js';
import { kept } from './shelf.js';
import { choice, slider } from './wishes.js';
import { data, element, familyOf, nameOf, percent, tell, word } from './words.js';

const $ = (name) => document.getElementById(name);
const ALIKE = 0.05; // smaller differences come and go with a comma

const least = slider('least', () => refresh());
const lang = choice('lang', () => sides.forEach((side) => side.checker.now(side.editor.text)));
const wishes = () => ({
  kind: 'plain', lang: lang(), least: least(), reportLang: document.documentElement.lang,
});

class Side {
  constructor(name) {
    this.name = name;
    this.editor = new Editor(name);
    this.checker = new Checker(wishes);
    this.findings = [];
    this.isRead = false;
    this.editor.addEventListener('change', () => {
      this.isRead = false;
      this.checker.soon(this.editor.text);
    });
    this.checker.addEventListener('found', ({ detail }) => {
      if (detail.text !== this.editor.text) return; // a syllable is being composed
      this.findings = detail.findings;
      this.isRead = detail.isDone && Boolean(this.editor.text.trim());
      tell('');
      show();
    });
    this.checker.addEventListener('waiting', ({ detail }) => tell(detail.message));
    this.checker.addEventListener('problem', ({ detail }) => tell(detail.error.message));
  }

  show() {
    const cards = cardsOf(this.findings, least());
    this.editor.show(marksOf(cards));
    const said = cards.length ? word('findings', { count: cards.length }) : word('no_findings');
    $(`${this.name}-status`).textContent = this.isRead ? said : '';
  }

  /** The highest confidence of each id, of those that are shown. */
  highest() {
    const found = new Map();
    for (const { id, confidence } of cardsOf(this.findings, least()).flatMap((card) => card.kinds)) {
      found.set(id, Math.max(found.get(id) ?? 0, confidence));
    }
    return found;
  }
}

const first = new Side('first');
const second = new Side('second');
const sides = [first, second];
const emptyWords = $('status').textContent;
let askedLeast = least();

function show() {
  sides.forEach((side) => side.show());
  const isReady = sides.every((side) => side.isRead);
  if (!isReady && sides.every((side) => side.editor.text.trim())) return; // what is there stays
  $('changes').hidden = !isReady;
  if (!isReady) {
    $('status').textContent = emptyWords;
    return;
  }
  const [before, after] = sides.map((side) => side.highest());
  const known = Object.keys(data.entries);
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  ids.sort((one, other) => known.indexOf(one) - known.indexOf(other));
  const rows = ids.map((id) => compared(id, before.get(id), after.get(id)));
  $('rows').replaceChildren(...rows.map((row) => row.element));
  $('changes').hidden = !rows.length;
  $('status').textContent = sum(rows);
}

function compared(id, before, after) {
  const by = (after ?? 0) - (before ?? 0);
  const isGone = after === undefined;
  const isNew = before === undefined;
  const isChanged = isGone || isNew || Math.abs(by) >= ALIKE;
  const verdict = !isChanged ? 'same' : by < 0 ? 'better' : 'worse';
  const sign = { same: '=', better: '↓', worse: '↑' }[verdict];
  const detail = isGone ? word('gone') : isNew ? word('new') : '';
  const said = detail ? `${word(verdict)} (${detail})` : word(verdict);
  const name = element('th', '', element('span', 'swatch'), nameOf(id));
  name.scope = 'row';
  const depth = id.split('.').length > 1 && id !== 'frame.offensive' ? ' below' : '';
  const cell = (value) => element('td', 'number', value === undefined ? word('unlikely') : bar(value));
  const change = element('td', `verdict ${verdict}`, element('span', 'sign', sign), said);
  change.querySelector('.sign').setAttribute('aria-hidden', 'true');
  const row = element('tr', `f-${familyOf(id)}${depth}`, name, cell(before), cell(after), change);
  return { verdict, element: row };
}

function sum(rows) {
  if (!rows.length) return word('nothing_below', { least: percent(least()) });
  const count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
  const said = [];
  if (count('better')) said.push(word('score_better', { count: count('better') }));
  if (count('worse')) said.push(word('score_worse', { count: count('worse') }));
  return said.length ? `${said.join(' · ')}.` : word('score_same');
}

function refresh() {
  show();
  if (least() < data.least && askedLeast >= data.least) sides.forEach((side) => side.checker.now(side.editor.text));
  askedLeast = least();
}

$('copy').addEventListener('click', () => second.editor.replace(first.editor.text));
$('swap').addEventListener('click', () => {
  const [one, other] = sides.map((side) => side.editor.text);
  first.editor.replace(other);
  second.editor.replace(one);
});

// Whoever comes from writing most likely wants to compare what was written.
if (!first.editor.text && !second.editor.text && kept('text')) first.editor.replace(kept('text'));
sides.forEach((side) => side.checker.now(side.editor.text));
