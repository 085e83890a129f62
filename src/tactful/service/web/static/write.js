// The page to write on: the field, the findings beside it, and what can be done with both.

import { call } from './api.js';
import { cardsOf, countsOf, marksOf } from './cards.js';
import { blocksOf, Checker } from './checker.js';
import { Editor } from './editor.js';
import { isTable, isText, kindOf, onFile, readText, save } from './files.js';
import { Findings } from './findings.js';
import { Instead } from './instead.js';
import { Mirror } from './mirror.js';
import { keep } from './shelf.js';
import { choice, slider } from './wishes.js';
import { data, number, percent, tell, tellDone, word } from './words.js';

const $ = (name) => document.getElementById(name);
const SAY_AFTER = 900; // ms: a screen reader is told what stayed, not what came and went
const MOST_MEGABYTES = 1;
const HANDED_OVER = 4_000_000;

const editor = new Editor('text');
const sheet = new Mirror($('sheet'), { isNumbered: true });
const instead = new Instead(editor, {
  textOf: () => found.text,
  cardOf: (key) => findings.cards.find((card) => card.key === key),
  request: rewriteRequest,
  onUse: () => choose(null),
});
const findings = new Findings($('findings'), (card) => instead.of(card));
const families = new Set(Object.keys(data.families));
const least = slider('least', () => refresh());
const lang = choice('lang', () => checker.now(editor.text));
const kind = choice('kind', () => checker.now(editor.text));
const checker = new Checker(() => ({
  kind: kind(), lang: lang(), least: least(), reportLang: document.documentElement.lang,
}));

let found = { findings: [], isDone: true, model: null };
let askedLeast = least();
let sayLater = 0;
const isReading = () => document.body.classList.contains('is-reading');
const isBeside = matchMedia('(min-width: 58rem)'); // as in the style sheet

function show() {
  const cards = cardsOf(found.findings, least(), (family) => families.has(family));
  const all = cardsOf(found.findings, 0);
  findings.show(cards, editor.text);
  editor.show(marksOf(cards), findings.open);
  if (isReading() || findings.isAllOpen) drawSheet();
  const counts = countsOf(cardsOf(found.findings, least()));
  for (const button of document.querySelectorAll('.family')) {
    const count = counts.get(button.dataset.family) ?? 0;
    button.querySelector('.count').textContent = number(count);
    button.querySelector('.count').hidden = !count;
  }
  const hidden = all.length - cards.length;
  $('hidden-count').textContent = hidden ? word('hidden', { count: hidden }) : '';
  $('hidden-count').hidden = !hidden;
  const hasText = Boolean(editor.text.trim());
  $('empty').hidden = cards.length > 0;
  if (hasText && found.isDone && found.model) {
    $('empty').textContent = word('no_findings_long', { least: percent(least()) });
  } else if (!hasText) {
    $('empty').textContent = emptyWords;
  }
  enable();
  status(cards.length);
}

/** Enable what can be done with the text. */
function enable() {
  $('clear').disabled = !editor.text;
  $('read').disabled = !editor.text.trim();
  $('share').disabled = !editor.text.trim() || !families.size;
}

const emptyWords = $('empty').textContent;

function status(count) {
  if (!found.model) {
    $('status').textContent = '';
  } else if (!found.isDone) {
    $('status').textContent = word('reading_part', { done: found.done, total: found.total });
  } else {
    const counted = count ? word('findings', { count }) : word('no_findings');
    const spoken = word(`lang_${found.model.lang}`);
    $('status').textContent = word('status', { findings: counted, lang: spoken, model: found.model.title });
    clearTimeout(sayLater);
    sayLater = setTimeout(() => {
      if ($('live').textContent !== counted) $('live').textContent = counted;
    }, SAY_AFTER);
  }
}

/** A lower confidence may need findings that were not asked for. */
function refresh() {
  show();
  if (least() < data.least && askedLeast >= data.least) checker.now(editor.text);
  askedLeast = least();
}

function choose(key, options) {
  findings.choose(key, options);
  editor.select(key);
  if (isReading()) drawSheet();
}

/** Show the marks of the open finding. Below each other, the text must not pull the finding away. */
function reveal() {
  if (!isReading()) editor.reveal();
  else if (isBeside.matches) sheet.reveal();
}

function drawSheet() {
  sheet.draw(editor.text, editor.marks, findings.isAllOpen ? null : findings.open);
}

/** What a rewrite of a finding is asked for with: only the piece of the text that it stands in. */
function rewriteRequest({ finding }) {
  const blocks = blocksOf(found.text, kind());
  const { start, text } = blocks.findLast((block) => block.start <= finding.start);
  return {
    text,
    at: Array.from(text.slice(0, finding.start - start)).length,
    kind: kind(),
    lang: blocks.length > 1 ? found.model.lang : lang(),
    least: least(),
    report_lang: document.documentElement.lang,
  };
}

editor.addEventListener('change', () => {
  tell('');
  enable();
  checker.soon(editor.text);
});
editor.addEventListener('point', ({ detail }) => {
  if (detail && detail !== findings.open) choose(detail, { reveal: true });
});
findings.addEventListener('choose', ({ detail }) => {
  choose(detail);
  if (detail) reveal();
});
checker.addEventListener('began', () => {
  $('text-frame').classList.add('reading');
  if (!found.model) $('status').textContent = word('reading');
});
checker.addEventListener('found', ({ detail }) => {
  // While a syllable is composed the text goes on without a check; old places do not fit it.
  if (detail.text !== editor.text) return;
  found = detail;
  $('text-frame').classList.toggle('reading', !detail.isDone);
  show();
});
checker.addEventListener('waiting', ({ detail }) => tell(detail.message));
checker.addEventListener('problem', ({ detail }) => {
  $('text-frame').classList.remove('reading');
  tell(detail.error.message);
});

for (const button of document.querySelectorAll('.family')) {
  button.addEventListener('click', () => {
    const { family } = button.dataset;
    const isOn = families.has(family);
    if (isOn) families.delete(family);
    else families.add(family);
    button.setAttribute('aria-pressed', String(!isOn));
    show();
  });
}

addEventListener('keydown', (event) => {
  if (event.key === 'F8') {
    event.preventDefault();
    const key = findings.beside(event.shiftKey ? -1 : 1, editor.field.selectionStart);
    const inList = $('findings').contains(document.activeElement);
    if (!key) return;
    choose(key, { reveal: true, focus: inList || isReading() });
    if (isReading()) reveal();
    else editor.go(key);
  } else if (event.key === 'Escape' && isReading()) {
    leave();
  } else if (event.key === 'Escape' && findings.open) {
    const { open } = findings;
    choose(null);
    editor.field.focus();
    editor.go(open);
  } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isReading()) {
    // A button for another replacement does what it says.
    if (event.target.closest('.choices, dialog')) return;
    event.preventDefault();
    instead.use(findings.open);
  }
});

const readWords = $('read').textContent;

/** Show the text to read and print, or the field to write in. */
function read(isOn) {
  tell('');
  document.body.classList.toggle('is-reading', isOn);
  $('read').textContent = isOn ? word('write_again') : readWords;
  show();
}

/** Close the open finding and go to where the text refers to it; without one, back to writing. */
function leave() {
  const at = findings.cards.findIndex((card) => card.key === findings.open) + 1;
  if (at) {
    choose(null);
    $('sheet').querySelector(`[href="#finding-${at}"]`)?.focus();
  } else {
    read(false);
    editor.field.focus();
  }
}

$('read').addEventListener('click', () => read(!isReading()));
$('sheet').addEventListener('click', (event) => {
  const link = event.target.closest('.reference');
  if (!link) return;
  event.preventDefault();
  const card = findings.cards[link.hash.slice('#finding-'.length) - 1];
  choose(card.key, { reveal: true, focus: true });
});
$('print').addEventListener('click', () => print());
for (const [name, isOn] of [['beforeprint', true], ['afterprint', false]]) {
  addEventListener(name, () => {
    findings.isAllOpen = isOn;
    show();
  });
}

$('clear').addEventListener('click', () => {
  editor.replace('');
  $('kind').value = 'plain';
  tellDone(word('cleared'));
});
$('example').addEventListener('click', () => editor.replace(data.sample));

onFile(async (file) => {
  if (!isText(file.name) && !isTable(file.name)) {
    tell(word('bad_ending', { name: file.name }));
    return;
  }
  const text = await readText(file, isTable(file.name) ? HANDED_OVER / 1e6 : MOST_MEGABYTES);
  if (text === null) return;
  if (isTable(file.name)) {
    // A table is scored row by row, on its own page.
    keep('table-name', file.name);
    keep('table', text);
    location.assign(`${data.root}/table`);
    return;
  }
  $('kind').value = kindOf(file.name);
  editor.replace(text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'));
  tellDone(word('opened', { name: file.name }));
});

$('share').addEventListener('click', async () => {
  const body = {
    text: editor.text, kind: kind(), lang: lang(), least: least(), report_lang: document.documentElement.lang,
    // What is hidden here is not in the report.
    only: families.size < Object.keys(data.families).length ? [...families] : [],
  };
  $('share').disabled = true;
  try {
    const answer = await call('/v1/report', body, { onWait: tell });
    save('tactful-report.html', [await answer.blob()], 'text/html');
    tellDone(word('saved'));
  } catch (error) {
    tell(error.message);
  }
  $('share').disabled = false;
});

show();
checker.now(editor.text);
