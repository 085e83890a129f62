// The queue of a moderator: one text at a time, with reasons, past decisions and a key for each step.

import { pause } from './api.js';
import { data, element, familyOf, nameOf, percent, tell, tellDone, word } from './words.js';

const LABELS = { keep: 'decision_keep', remove: 'decision_remove', escalate: 'decision_escalate' };
const LOOK_AGAIN = 15_000;
const at = (id) => document.getElementById(id);
const skipped = new Set();
let queue = [];
let current = null;
let last = null;
let busy = false;

/** Ask the service; the browser sends the key that it asked for. */
async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(`${data.root}/review/${path}`, options);
  } catch {
    throw new Error(word('error_offline'));
  }
  const found = await response.json().catch(() => ({}));
  if (response.ok) return found;
  const problem = new Error(word('error_other', { message: found.error?.message ?? response.status }));
  problem.status = response.status;
  throw problem;
}

/** Load the queue, and show a text of it: the wanted one, or the first that was not skipped. */
async function next(wanted) {
  const found = await ask('queue');
  queue = found.items.filter(({ item }) => !skipped.has(item));
  if (!queue.length && skipped.size && found.items.length) {
    skipped.clear(); // all others are decided: what was skipped comes again
    queue = found.items;
  }
  at('counts').textContent = word('review_counts', {
    count: found.items.length, decided: found.decided,
  });
  at('none').hidden = queue.length > 0;
  at('desk').hidden = queue.length === 0;
  if (!queue.length) {
    current = null;
    return;
  }
  const chosen = queue.find(({ item }) => item === wanted) ?? queue[0];
  try {
    show(await ask(`items/${chosen.item}`), chosen);
  } catch (error) {
    if (error.status !== 404) throw error;
    skipped.add(chosen.item); // deleted meanwhile
    await next();
  }
}

function show(found, { reports }) {
  current = found;
  at('note').value = '';
  const characters = Array.from(found.text); // offsets count code points
  at('text').replaceChildren(...marked(characters, found.findings));
  at('reports').textContent = [word('review_reports', { count: reports }), ...said(found.reports)].join(' · ');
  at('asked').replaceChildren(...found.asked.map((id, place) => question(id, place, found)));
  at('nothing-asked').hidden = found.asked.length > 0;
  const reasons = found.findings.map(reason);
  if (found.problem) reasons.push(element('li', '', found.problem));
  at('why').replaceChildren(...(reasons.length ? reasons : [element('li', 'muted', word('review_no_reason'))]));
  const similar = found.similar.map((each) => past(each));
  at('similar').replaceChildren(
    ...(similar.length ? similar : [element('li', 'muted', word('review_no_similar'))]),
  );
  blur();
  at('text-title').focus();
}

/** What the reports say: the mean of the labels that they suggest, and their notes. */
function said(reports) {
  const suggested = {};
  for (const [id, value] of reports.flatMap(({ labels }) => Object.entries(labels ?? {}))) {
    (suggested[id] ??= []).push(value);
  }
  const labels = Object.entries(suggested).map(([id, values]) =>
    `${nameOf(id)} ${percent(values.reduce((sum, each) => sum + each, 0) / values.length)}`);
  const notes = reports.map(({ note }) => note).filter(Boolean);
  return [...(labels.length ? [word('review_suggested', { labels: labels.join(', ') })] : []), ...notes];
}

function kindsOf(findings) {
  return findings.flatMap(({ kinds }) => kinds);
}

/** The text with the words that carry a finding in marks. */
function marked(characters, findings) {
  const families = new Array(characters.length).fill('');
  for (const { id, spans } of kindsOf(findings)) {
    for (const [start, end] of spans) families.fill(familyOf(id), start, end);
  }
  const pieces = [];
  for (let start = 0, end = 1; start < characters.length; end += 1) {
    if (end === characters.length || families[end] !== families[start]) {
      const words = characters.slice(start, end).join('');
      pieces.push(families[start] ? element('mark', `mark m-${families[start]}`, words) : words);
      start = end;
    }
  }
  return pieces;
}

function question(id, place, { findings, scores }) {
  const found = kindsOf(findings).find((each) => each.id === id);
  const field = element('input');
  Object.assign(field, { type: 'checkbox', name: id, checked: Boolean(found) });
  const key = element('kbd', '', String(place + 1));
  return element('label', `check f-${familyOf(id)}`, field, ` ${nameOf(id)} `, key,
    element('span', 'muted', ` ${percent(found?.confidence ?? scores[id] ?? 0)}`));
}

function reason({ id, kinds, reason: why, quoted }) {
  const surest = Math.max(...kinds.map(({ confidence }) => confidence));
  const [first, ...others] = kinds.map(({ name }) => name);
  const head = element('p', '', element('b', '', first), ` · ${percent(surest)}`,
    quoted ? ` · ${word('review_quoted')}` : '');
  const beside = others.length ? element('p', 'muted small', others.join(' · ')) : null;
  // A reason quotes words of the text.
  const told = element('p', 'small blurred-by-choice', why);
  return element('li', `f-${familyOf(id)}`, head, beside, told);
}

function past({ text, decision, similarity, labels }) {
  const names = Object.keys(labels ?? {}).filter((id) => labels[id]).map(nameOf);
  const head = element('p', '', element('b', '', word(LABELS[decision])),
    ` · ${word('review_likeness', { share: percent(similarity) })}`,
    names.length ? ` · ${names.join(', ')}` : '');
  const quote = element('p', 'quote blurred-by-choice', text.slice(0, 300));
  return element('li', '', head, quote);
}

function blur() {
  document.body.classList.toggle('blurs', at('blur').checked);
}

/** Do one step at a time; a key that is pressed meanwhile is not for the text that comes next. */
async function step(work) {
  if (busy) return;
  busy = true;
  tell('');
  try {
    await work();
  } catch (error) {
    tell(error.message);
  } finally {
    busy = false;
  }
}

const decide = (decision) => step(async () => {
  if (!current) return;
  const labels = {};
  for (const field of at('asked').querySelectorAll('input')) {
    // What may stay has none of the problems that were asked about.
    labels[field.name] = decision !== 'keep' && field.checked;
  }
  const note = at('note').value.trim();
  const id = `r-${crypto.randomUUID()}`;
  await ask('decisions', { item: current.item, decision, labels, id, ...(note && { note }) });
  last = { id, item: current.item };
  at('undo').disabled = false;
  await next();
  tellDone(word('review_saved', { decision: word(LABELS[decision]) }));
});

const skip = () => step(async () => {
  if (!current) return;
  skipped.add(current.item);
  await next();
});

const undo = () => step(async () => {
  if (!last) return;
  await ask('undo', { id: last.id });
  const { item } = last;
  last = null;
  at('undo').disabled = true;
  skipped.delete(item);
  await next(item);
  tellDone(word('undone'));
});

const KEYS = {
  k: () => decide('keep'), r: () => decide('remove'), e: () => decide('escalate'), s: skip, z: undo,
  b: () => { at('blur').checked = !at('blur').checked; blur(); },
  n: () => at('note').focus(),
};

document.addEventListener('keydown', (event) => {
  const typing = event.target.matches?.('input[type="text"], textarea, select');
  if (typing && event.key === 'Escape') at('text-title').focus();
  if (typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!at('shortcuts').checked) return;
  const field = at('asked').querySelectorAll('input')[Number(event.key) - 1];
  if (field) field.checked = !field.checked;
  const work = field ? null : KEYS[event.key.toLowerCase()];
  if (!field && !work) return;
  event.preventDefault();
  work?.();
});

for (const name of ['keep', 'remove', 'escalate']) at(name).addEventListener('click', () => decide(name));
at('skip').addEventListener('click', skip);
at('undo').addEventListener('click', undo);
at('blur').addEventListener('change', blur);

blur();
await step(next);
for (;;) {
  await pause(LOOK_AGAIN);
  if (!current) await step(next); // an empty queue may fill
}
