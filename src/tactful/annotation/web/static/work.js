// The desk: one text after the other, from the page that the server gave.

import { Queue } from './queue.js';
import { Shelf } from './storage.js';
import { StepForm, setCurrent } from './questions.js';
import { TextView } from './textview.js';
import { Marker } from './spans.js';
import { Clock, Pace } from './pace.js';
import { listenToKeys } from './keys.js';
import { writeContext, writeOthers } from './beside.js';
import { word } from './words.js';

const find = (id) => document.getElementById(id);
const RETRY = 3000;

class Desk {
  constructor() {
    const { project, person, csrf, blur, lang } = find('desk').dataset;
    this.blur = blur === 'yes';
    this.lang = lang;
    this.shelf = new Shelf(project, person);
    this.shelf.sweep();
    this.queue = new Queue(this.shelf, csrf, (news) => this.#hear(news));
    this.view = new TextView(find('text'), lang);
    const caret = document.createElement('div');
    caret.className = 'caret';
    caret.hidden = true;
    find('text').parentElement.append(caret);
    this.marker = new Marker(this.view, caret, find('marks'), say);
    this.clock = new Clock();
    this.pace = new Pace();
    this.items = [];
    this.index = 0;
    this.history = [];
    this.isReady = false;
    this.loading = find('place').textContent;
    this.#connect();
  }

  #connect() {
    find('form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.save();
    });
    find('reveal').addEventListener('click', () => this.turnCover());
    find('cover').addEventListener('click', () => this.turnCover());
    find('undo').addEventListener('click', () => this.undo());
    find('skip').addEventListener('click', () => this.skip());
    find('open-guideline').addEventListener('click', () => this.openGuideline());
    find('stop').addEventListener('submit', (event) => this.#stop(event));
    find('rest').addEventListener('close', () => {
      if (find('rest').returnValue === 'stop') find('stop').requestSubmit();
    });
    find('questions').addEventListener('focusin', (event) => this.#setCurrent(this.form.of(event.target)));
    find('text').addEventListener('focus', () => {
      const marks = this.form?.shown.find((each) => each.element.dataset.kind === 'spans');
      if (marks) this.#setCurrent(marks);
    });
    const keys = find('single-keys');
    keys.checked = this.hasSingleKeys;
    keys.addEventListener('change', () => this.shelf.write('single-keys', keys.checked));
  }

  get hasSingleKeys() {
    return this.shelf.read('single-keys', true);
  }

  get item() {
    return this.items[this.index];
  }

  /** Ask for a page; what waits is sent first, so that the server knows what is answered. */
  async load() {
    this.#setReady(false);
    await this.queue.send();
    let response;
    try {
      response = await fetch('/api/page', { headers: { Accept: 'application/json' } });
    } catch {
      this.#later(word('offline'));
      return;
    }
    if (response.status === 401 || response.status === 403) {
      location.assign('/');
      return;
    }
    const page = await response.json().catch(() => ({}));
    if (!response.ok) {
      this.#later(page.error?.message ?? word('odd_server'));
      return;
    }
    const items = page.items.filter((item) => !this.queue.has(item.handle));
    if (!items.length && this.queue.waiting.length) {
      this.#later(word('still_waiting'));
    } else if (!items.length) {
      location.assign('/done');
    } else {
      if (this.isWaiting) find('notice').hidden = true;
      this.isWaiting = false;
      this.pace.left = page.left;
      this.items = items;
      this.index = 0;
      this.#open();
      if (page.break_due) find('rest').showModal();
    }
  }

  /** While the next text is on its way, the last one is still seen, and takes no answer. */
  #setReady(isReady) {
    this.isReady = isReady;
    find('columns').inert = !isReady;
    find('desk').ariaBusy = isReady ? null : 'true';
    if (!isReady) find('place').textContent = this.loading;
  }

  /** Say that a key came before the text that it was meant for. */
  tellTooSoon() {
    if (!this.isWaiting) notice(word('too_soon'));
  }

  #later(sentence) {
    notice(sentence);
    this.isWaiting = true;
    find('columns').hidden = true;
    find('place').textContent = word('waiting');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), RETRY);
  }

  /** Show the item; without answers to begin with, the draft, or what all agree on. */
  #open(given = null) {
    const { item } = this;
    const draft = this.shelf.read(`draft:${item.handle}`);
    const answers = given ?? draft?.answers ?? item.others?.begin ?? {};
    const step = document.querySelector(`.step-template[data-step="${CSS.escape(item.step)}"]`);
    find('columns').hidden = false;
    find('step-title').textContent = step.dataset.title;
    writeContext(find('context'), item.context, this.lang);
    writeOthers(find('others'), item.others, this.lang);
    this.view.write(item.text);
    find('text').dir = 'auto';
    const hasSpans = [...step.children].some((each) => each.dataset.kind === 'spans');
    this.marker.begin(hasSpans);
    find('span-keys').hidden = !hasSpans;
    find('desk').classList.toggle('has-spans', hasSpans);
    this.undone = [];
    this.current = null;
    this.form = null;
    this.form = new StepForm(
      find('questions'),
      step,
      (element, changed) => this.marker.controlOf(element, changed),
      (instance, source) => this.#changed(instance, source),
    );
    this.form.write(answers);
    this.last = JSON.stringify(this.form.answers());
    this.#setCurrent(this.form.nextOpen(null) ?? this.form.shown[0]);
    this.clock.start(draft?.seconds ?? 0);
    this.#setReady(true);
    find('again').hidden = !item.again;
    find('draft').textContent = '';
    find('undo').disabled = !this.history.length;
    this.#showPlace();
    this.#setCover(this.blur);
    scrollTo(0, 0);
  }

  #showPlace() {
    const number = this.items.length;
    find('place').textContent = number === 1 ? word('next_text')
      : word('place', { number: this.index + 1, total: number });
    find('bar').hidden = number === 1;
    find('bar').setAttribute('aria-valuemax', number);
    find('bar').setAttribute('aria-valuenow', this.index);
    find('bar').firstElementChild.style.inlineSize = `${(100 * this.index) / number}%`;
    find('pace').textContent = this.pace.sentence();
  }

  get isCovered() {
    return !find('curtain').hidden;
  }

  #setCover(isCovered) {
    find('curtain').hidden = !isCovered;
    find('cover').hidden = isCovered || !this.blur;
    for (const element of [find('text'), find('context'), find('others')]) {
      element.inert = isCovered;
      element.ariaHidden = isCovered ? 'true' : null;
      element.classList.toggle('blurred', isCovered);
    }
    this.clock.pause(isCovered);
    (isCovered ? find('reveal') : find('text')).focus({ preventScroll: true });
  }

  turnCover() {
    if (this.blur) this.#setCover(!this.isCovered);
  }

  #setCurrent(instance) {
    if (!instance) return;
    if (this.current) setCurrent(this.current.element, false);
    this.current = instance;
    setCurrent(instance.element, true);
  }

  #changed(instance, source) {
    const now = JSON.stringify(this.form.answers());
    // Letters typed one after the other into one field are one step back.
    const isSame = source && source === this.source;
    if (now !== this.last && !isSame) this.undone.push(this.last);
    this.source = source ?? null;
    this.last = now;
    find('undo').disabled = false;
    this.#keepDraft();
  }

  #keepDraft() {
    const kept = this.shelf.write(`draft:${this.item.handle}`, {
      answers: this.form.answers(), seconds: this.clock.seconds(), at: Date.now(),
    });
    find('draft').textContent = word(kept ? 'draft_kept' : 'draft_lost');
  }

  /** Choose the option with a key: a digit in the question one is at, a letter in any. */
  choose(key) {
    const { shown } = this.form;
    const isDigit = /^\d$/.test(key);
    const wanted = isDigit ? `[data-digit="${key}"]` : `[data-key="${key}"]`;
    const at = (isDigit ? [this.current] : shown)
      .find((each) => shown.includes(each) && each.element.querySelector(wanted));
    if (!at) return false;
    const option = at.element.querySelector(wanted);
    this.#setCurrent(at);
    option.click();
    if (option.type === 'radio') {
      option.focus();
      const next = this.form.nextOpen(at);
      if (next) this.#focus(next);
      else find('save').focus();
    } else if (option.type === 'checkbox') {
      option.focus();
    }
    return true;
  }

  #focus(instance) {
    this.#setCurrent(instance);
    const isMarks = instance.element.dataset.kind === 'spans';
    const target = isMarks ? find('text') : instance.element.querySelector('input, textarea, button');
    target.focus();
    instance.element.scrollIntoView({ block: 'nearest' });
  }

  leaveField() {
    this.current.element.tabIndex = -1;
    this.current.element.focus();
  }

  advance() {
    if (this.isCovered) {
      this.turnCover();
      return;
    }
    const next = this.form.nextOpen(this.current);
    if (next && next !== this.current) this.#focus(next);
    else this.save();
  }

  save() {
    if (!this.isReady || this.isCovered) return;
    const problem = this.form.check();
    if (problem) {
      this.#focus(problem);
      say(problem.element.querySelector('.problem').textContent);
      return;
    }
    find('notice').hidden = true;
    const { item } = this;
    const answers = this.form.answers();
    const seconds = this.clock.seconds();
    this.pace.add(seconds);
    this.history.push({ item, answers });
    this.shelf.remove(`draft:${item.handle}`);
    this.queue.add('/api/answer', { handle: item.handle, answers, seconds });
    this.#next(word('saved'));
  }

  skip() {
    if (!this.isReady) return;
    const { item } = this;
    find('notice').hidden = true;
    this.history.push({ item, answers: this.form.answers(), isSkip: true });
    this.shelf.remove(`draft:${item.handle}`);
    this.queue.add('/api/skip', { handle: item.handle, reason: '' });
    this.#next(word('skipped'));
  }

  #next(news) {
    this.index += 1;
    if (this.item) {
      this.#open();
      say(`${news} ${find('place').textContent}.`);
    } else {
      say(news);
      this.load();
    }
  }

  undo() {
    if (!this.isReady) return;
    if (this.undone.length) {
      this.form.write(JSON.parse(this.undone.pop()));
      this.source = null;
      this.last = JSON.stringify(this.form.answers());
      this.#keepDraft();
      this.#setCurrent(this.form.nextOpen(null) ?? this.form.shown[0]);
      find('undo').disabled = !this.undone.length && !this.history.length;
      say(word('undone'));
    } else if (this.history.length) {
      const { item, answers, isSkip } = this.history.pop();
      if (this.items[this.index - 1] === item) this.index -= 1;
      else this.items.splice(this.index, 0, item);
      this.#open(answers);
      say(word(isSkip ? 'unskipped' : 'went_back'));
    } else {
      say(word('nothing_to_undo'));
    }
  }

  openGuideline() {
    find('guideline').showModal();
  }

  async #stop(event) {
    event.preventDefault();
    await Promise.race([this.queue.send(), new Promise((done) => { setTimeout(done, RETRY); })]);
    if (navigator.onLine) {
      find('stop').submit();
    } else {
      notice(word('stop_offline'));
    }
  }

  #hear({ waiting, problem, refused, lost }) {
    const net = find('net');
    net.hidden = !waiting;
    if (waiting) {
      net.textContent = problem ? word('kept', { count: waiting }) : word('sending');
    }
    if (problem && problem !== 'offline') notice(problem);
    if (lost) notice(word('stores_nothing'));
    if (refused) notice(word('refused', { why: refused }));
  }
}

function notice(sentence) {
  find('notice').textContent = sentence;
  find('notice').hidden = false;
}

/** Say something to a screen reader; the same sentence twice is said twice. */
function say(sentence) {
  const live = find('live');
  live.textContent = '';
  setTimeout(() => { live.textContent = sentence; }, 50);
}

const desk = new Desk();
listenToKeys(desk);
desk.load();
