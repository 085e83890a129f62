// The panel beside a text: its context, and for a referee the answers to decide between. Everything
// is inserted as text, never as HTML.

import { TextView } from './textview.js';

export function writeContext(place, context, lang) {
  const parts = Object.entries(context).map(([name, text]) => {
    const part = document.createElement('div');
    const title = document.createElement('h3');
    title.textContent = name;
    part.append(title, written('p', 'context-text', text, lang));
    return part;
  });
  place.replaceChildren(...parts);
  place.hidden = !parts.length;
}

/** A question over a row of answers each: narrow enough for a phone, and a table to everybody. */
export function writeOthers(place, others, lang) {
  place.hidden = !others;
  const table = place.querySelector('table');
  table.replaceChildren();
  const remarks = (others?.remarks ?? []).map(({ who, text }) => {
    const item = document.createElement('li');
    const name = document.createElement('b');
    name.textContent = `${who}: `;
    item.append(name, written('span', 'remark', text, lang));
    return item;
  });
  place.querySelector('.remarks').replaceChildren(...remarks);
  place.querySelector('#remarks-title').hidden = !remarks.length;
  if (!others) return;
  // Many people are scrolled through: a column narrower than this cannot be read.
  table.style.minInlineSize = `${5 * others.names.length}rem`;
  const head = table.createTHead().insertRow();
  for (const name of others.names) head.append(cell('th', name, 'col'));
  for (const row of others.rows) {
    const body = table.createTBody();
    body.classList.toggle('split', row.split);
    const title = cell('th', '', 'rowgroup');
    title.colSpan = others.names.length;
    const news = document.createElement('span');
    news.className = 'tag';
    news.textContent = row.news;
    title.append(written('span', 'asked', row.question, lang), ' ', news);
    body.insertRow().append(title);
    body.insertRow().append(...row.cells.map((each) => answer(each, lang)));
  }
}

function answer({ lines, marked, differs, muted }, lang) {
  const made = document.createElement('td');
  made.classList.toggle('differs', differs);
  made.append(...lines.map((line) => written('div', muted ? 'muted' : 'line', line, lang)));
  made.append(...marked.map(([name, words]) => {
    const line = document.createElement('div');
    const tag = document.createElement('span');
    tag.className = 'tag';
    tag.textContent = name;
    line.append(written('q', 'cited', words, lang), ' ', tag);
    return line;
  }));
  return made;
}

function cell(kind, text, scope) {
  const made = document.createElement(kind);
  made.textContent = text;
  made.scope = scope;
  return made;
}

/** Words of somebody: characters that turn text around have no effect on what is beside them. */
function written(kind, name, text, lang) {
  const place = document.createElement(kind);
  place.className = name;
  place.dir = 'auto';
  place.lang = lang;
  new TextView(place, lang).write(text);
  return place;
}
