// The page for tables: open a file, score its rows, look through them, export.

import { BadTable, parseCsv, parseJsonLines, writeCsv } from './csv.js';
import { endingOf, isTable, onFile, readText, save } from './files.js';
import { RowsView } from './rows.js';
import { scoreAll } from './scoring.js';
import { keep, kept } from './shelf.js';
import { choice } from './wishes.js';
import { data, element, tell, word } from './words.js';

const $ = (name) => document.getElementById(name);
const MOST_MEGABYTES = 50;
const GUESSED_FROM = 200; // rows

const view = new RowsView();
const lang = choice('lang', () => {});
const ids = [...new Set(Object.values(data.ids).flat())];
let table = { name: '', heads: [], rows: [] };
let running = null;

async function open(file) {
  if (!isTable(file.name)) {
    tell(word('bad_table', { name: file.name }));
    return;
  }
  const text = await readText(file, MOST_MEGABYTES);
  if (text !== null) read(file.name, text);
}

function read(name, text) {
  running?.abort();
  try {
    const isLines = ['jsonl', 'ndjson'].includes(endingOf(name));
    const [heads = [], ...rows] = isLines ? parseJsonLines(text) : parseCsv(text);
    if (!rows.length) {
      tell(word('no_rows', { name }));
      return;
    }
    table = { name, heads, rows };
  } catch (error) {
    if (!(error instanceof BadTable)) throw error;
    tell(word(error.key, { name, line: error.line }));
    return;
  }
  tell('');
  $('name').textContent = word('file_read', { name, rows: word('rows', { count: table.rows.length }) });
  $('column').replaceChildren(...table.heads.map((head, at) => {
    const option = element('option', '', head || `${at + 1}`);
    option.value = String(at);
    return option;
  }));
  $('column').value = String(likelyColumn());
  $('setup').hidden = false;
  $('open').classList.remove('primary'); // the next step is to score
  $('results').hidden = true;
  $('progress-line').hidden = true;
  $('start').focus();
}

/** The column with the longest cells, unless one is called text. */
function likelyColumn() {
  const named = table.heads.findIndex((head) => /^(text|texto|comment|comentario)s?$/i.test(head.trim()));
  if (named >= 0) return named;
  const sums = table.heads.map((_, at) =>
    table.rows.slice(0, GUESSED_FROM).reduce((sum, row) => sum + (row[at] ?? '').length, 0));
  return sums.indexOf(Math.max(...sums));
}

async function score() {
  const column = Number($('column').value);
  const texts = table.rows.map((row) => row[column] ?? '');
  const total = texts.length;
  running?.abort();
  const controller = new AbortController();
  running = controller;
  busy(true);
  view.start(texts);
  $('results').hidden = false;
  progress(0, total);
  try {
    await scoreAll(texts, lang(), {
      signal: controller.signal,
      onWait: (message) => tell(message),
      onPart: (from, answers) => {
        tell('');
        view.add(from, answers);
        progress(from + answers.length, total);
      },
    });
    $('status').textContent = word('done', { count: total });
  } catch (error) {
    $('status').textContent = word('stopped', { done: view.done, total });
    if (!controller.signal.aborted) tell(error.message);
  }
  if (running === controller) {
    running = null;
    busy(false);
  }
}

function progress(done, total) {
  $('progress-line').hidden = false;
  $('progress').max = total;
  $('progress').value = done;
  // Said in tenths, or a screen reader would talk without end.
  const tenth = Math.floor((10 * done) / total);
  if ($('status').dataset.tenth === String(tenth) && done < total) return;
  $('status').dataset.tenth = String(tenth);
  $('status').textContent = word('scored', { done, total });
}

function busy(isBusy) {
  $('start').hidden = isBusy;
  $('stop').hidden = !isBusy;
  $('column').disabled = isBusy;
  $('lang').disabled = isBusy;
}

/** All columns of the file and all scores, of the rows that are shown, in their order. */
function exported() {
  const scored = ids.filter((id) => view.scores.some((score) => score?.probabilities?.[id] !== undefined));
  const width = Math.max(table.heads.length, ...table.rows.map((row) => row.length));
  const heads = Array.from({ length: width }, (_, at) => table.heads[at] ?? '');
  const rows = view.order.map((at) => {
    const cells = Array.from({ length: width }, (_, each) => table.rows[at][each] ?? '');
    const found = view.scores[at];
    const values = scored.map((id) => found?.probabilities?.[id] ?? null);
    return [...cells, found?.lang ?? null, found?.reason ?? null, ...values];
  });
  return [[...heads, 'tactful.lang', 'tactful.reason', ...scored], ...rows];
}

$('start').addEventListener('click', score);
$('stop').addEventListener('click', () => running?.abort());
$('export').addEventListener('click', () => {
  const name = `${table.name.replace(/\.\w+$/, '')}-scores.csv`;
  // With the sign at the start by which spreadsheets know UTF-8.
  save(name, ['\ufeff', writeCsv(exported())], 'text/csv');
});
onFile(open);

// What was dropped on the page to write on.
if (kept('table')) {
  const [name, text] = [kept('table-name'), kept('table')];
  keep('table', '');
  keep('table-name', '');
  read(name, text);
}
