// The rows of a scored table: filtered, sorted, a page of them at a time.

import { bar } from './findings.js';
import { keep } from './shelf.js';
import { slider } from './wishes.js';
import { data, element, familyOf, nameOf, number, percent, word } from './words.js';

const $ = (name) => document.getElementById(name);
const PAGE = 50;
const LONGEST = 280;
const FIRST = ['pcl', 'unhealthy', 'frame.offensive', 'stereotype', 'toxicity'];

export class RowsView {
  constructor() {
    this.texts = [];
    this.scores = [];
    this.order = [];
    this.done = 0;
    this.page = 0;
    this.sort = { by: 'row', isDown: false };
    this.shown = new Set(FIRST);
    this.ids = [...new Set(Object.values(data.ids).flat())];
    this.least = slider('least', () => this.filter());
    this.labels = { ...$('heads').dataset };
    for (const id of this.ids) {
      const option = element('option', '', nameOf(id));
      option.value = id;
      $('id').append(option);
      $('columns').append(this.check(id));
    }
    $('id').addEventListener('change', () => {
      const id = $('id').value;
      if (id) this.toggle(id, true);
      this.filter();
    });
    $('search').addEventListener('input', () => this.filter());
    $('previous').addEventListener('click', () => this.turn(-1));
    $('next').addEventListener('click', () => this.turn(1));
  }

  check(id) {
    const box = element('input');
    Object.assign(box, { type: 'checkbox', checked: this.shown.has(id), value: id });
    box.addEventListener('change', () => {
      this.toggle(id, box.checked);
      this.draw();
    });
    return element('label', 'check', box, nameOf(id));
  }

  toggle(id, isShown) {
    if (isShown) this.shown.add(id);
    else this.shown.delete(id);
    $('columns').querySelector(`input[value="${CSS.escape(id)}"]`).checked = isShown;
  }

  start(texts) {
    this.texts = texts;
    this.scores = texts.map(() => null);
    this.done = 0;
    this.page = 0;
    this.sort = { by: 'row', isDown: false };
    this.filter();
  }

  add(from, answers) {
    answers.forEach((answer, at) => {
      this.scores[from + at] = { ...answer, highest: highest(answer.probabilities) };
    });
    this.done = from + answers.length;
    this.filter(true);
  }

  value(at, by) {
    const score = this.scores[at];
    if (by === 'highest') return score?.highest?.value;
    return score?.probabilities?.[by];
  }

  filter(keepsPage = false) {
    const id = $('id').value || 'highest';
    const least = this.least();
    const wanted = $('search').value.trim().toLocaleLowerCase();
    this.order = this.texts.map((_, at) => at).filter((at) =>
      (!least || (this.value(at, id) ?? -1) >= least)
      && (!wanted || this.texts[at].toLocaleLowerCase().includes(wanted)));
    const { by, isDown } = this.sort;
    if (by === 'row') {
      if (isDown) this.order.reverse();
    } else if (by === 'text') {
      const collator = new Intl.Collator(document.documentElement.lang);
      this.order.sort((one, other) => collator.compare(this.texts[one], this.texts[other]) * (isDown ? -1 : 1));
    } else {
      // What has no score stands last, whichever way.
      const low = isDown ? -1 : 2;
      const value = (at) => this.value(at, by) ?? low;
      this.order.sort((one, other) => (value(one) - value(other)) * (isDown ? -1 : 1) || one - other);
    }
    if (!keepsPage) this.page = 0;
    this.draw();
  }

  turn(by) {
    this.page += by;
    this.draw();
    document.querySelector('.scroll').focus();
  }

  columns() {
    return ['row', 'text', 'highest', ...this.ids.filter((id) => this.shown.has(id))];
  }

  draw() {
    const last = Math.max(0, Math.ceil(this.order.length / PAGE) - 1);
    this.page = Math.min(this.page, last);
    const from = this.page * PAGE;
    const here = this.order.slice(from, from + PAGE);
    const columns = this.columns();
    const focused = document.activeElement?.dataset?.sort;
    $('heads').replaceChildren(...columns.map((by) => this.head(by)));
    if (focused) $('heads').querySelector(`[data-sort="${CSS.escape(focused)}"]`)?.focus();
    $('rows').replaceChildren(...here.map((at) => this.row(at, columns)));
    $('count').textContent = word('rows_of', { shown: this.order.length, total: this.texts.length });
    $('pager').hidden = last === 0;
    $('previous').disabled = this.page === 0;
    $('next').disabled = this.page === last;
    const to = from + here.length;
    $('where').textContent = word('rows_page', { from: Math.min(from + 1, to), to, count: this.order.length });
  }

  head(by) {
    const name = this.labels[by] ?? nameOf(by);
    const isSorted = this.sort.by === by;
    const sign = element('span', 'sign', isSorted ? (this.sort.isDown ? '▼' : '▲') : '');
    sign.setAttribute('aria-hidden', 'true');
    const button = element('button', 'sort', name, sign);
    button.type = 'button';
    button.dataset.sort = by;
    button.title = word('sort', { name });
    button.addEventListener('click', () => {
      // Scores are looked at from the highest on, rows from the first.
      const starts = by !== 'row' && by !== 'text';
      this.sort = { by, isDown: isSorted ? !this.sort.isDown : starts };
      this.filter();
    });
    const cell = element('th', by === 'text' ? 'wide' : by === 'row' ? 'number' : '', button);
    cell.scope = 'col';
    if (isSorted) cell.setAttribute('aria-sort', this.sort.isDown ? 'descending' : 'ascending');
    return cell;
  }

  row(at, columns) {
    const cells = columns.map((by) => {
      if (by === 'row') return element('td', 'number', number(at + 1));
      if (by === 'text') return this.text(at);
      if (by === 'highest') return this.highest(at);
      const value = this.value(at, by);
      return element('td', `score f-${familyOf(by)}`, value === undefined ? '' : bar(value));
    });
    return element('tr', '', ...cells);
  }

  text(at) {
    const letters = this.texts[at].slice(0, 2 * LONGEST);
    const isLong = letters.length > LONGEST;
    const words = element('span', 'row-text', isLong ? `${Array.from(letters).slice(0, LONGEST).join('')}…` : letters);
    words.dir = 'auto';
    const open = element('a', 'open-row', this.labels.open);
    open.href = `${data.root}/`;
    open.addEventListener('click', () => keep('text', this.texts[at]));
    return element('td', 'wide', words, open);
  }

  highest(at) {
    const score = this.scores[at];
    if (!score) return element('td', 'muted', '…');
    if (!score.highest) return element('td', 'muted', word('not_scored', { reason: score.reason }));
    const { id, value } = score.highest;
    return element('td', `highest f-${familyOf(id)}`, element('span', 'swatch'), `${nameOf(id)} `, element('b', '', percent(value)));
  }
}

function highest(probabilities) {
  if (!probabilities) return null;
  const [id, value] = Object.entries(probabilities).reduce((best, each) => (each[1] > best[1] ? each : best));
  return { id, value };
}
