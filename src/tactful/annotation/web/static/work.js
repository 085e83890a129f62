// The desk: one text after the other, from the page that the server gave.

import { address } from './address.js';
import { ANSWER, Queue } from './queue.js';
import { Shelf } from './storage.js';
import { StepForm, setCurrent } from './questions.js';
import { TextView } from './textview.js';
import { Marker } from './spans.js';
import { Clock, Pace } from './pace.js';
import { listenToKeys } from './keys.js';
import { writeContext, writeOthers } from './beside.js';
import { Suggestions } from './suggestions.js';
import { showProblem } from './controls.js';
import { word } from './words.js';

const find = (id) => document.getElementById(id);
const RETRY = 3000;
/** The part of the texts to come at which more are fetched. */
const ENOUGH = 0.7;

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
    this.suggestions = new Suggestions((instance, act) => this.settle(act, instance));
    this.clock = new Clock();
    this.pace = new Pace();
    this.items = [];
    this.index = 0;
    this.numbers = new Map();
    this.ahead = 0;
    this.fetching = null;
    this.isDrained = false;
    this.isRestDue = false;
    this.isLeaving = false;
    this.history = [];
    /** Texts that were skipped since the page was opened, by handle: {item, answers}. */
    this.skipped = new Map();
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
    find('close-notice').addEventListener('click', () => {
      find('notice').hidden = true;
      find('text').focus();
    });
    addEventListener('beforeunload', (event) => {
      if (this.queue.waiting.length && !this.isLeaving) event.preventDefault();
    });
    find('return').addEventListener('click', () => this.returnToSkipped());
    this.#connectView('compact', false);
    this.#connectView('beside', matchMedia('(min-width: 100rem)').matches);
    const keys = find('single-keys');
    keys.checked = this.hasSingleKeys;
    keys.addEventListener('change', () => this.shelf.write('single-keys', keys.checked));
  }

  /** A way to see the desk, which the person turns on and off and the browser remembers. */
  #connectView(name, otherwise) {
    const button = find(`turn-${name}`);
    const turn = (isOn) => {
      button.setAttribute('aria-pressed', isOn);
      find('desk').classList.toggle(name, isOn);
      document.body.classList.toggle(`has-${name}`, isOn);
      if (name === 'beside') find('beside').hidden = !isOn;
      if (name === 'compact') this.#fold();
    };
    turn(this.shelf.read(name, otherwise));
    button.addEventListener('click', () => {
      const isOn = button.getAttribute('aria-pressed') !== 'true';
      this.shelf.write(name, isOn);
      turn(isOn);
    });
  }

  /** Help is folded where room is short. */
  #fold() {
    const isCompact = find('desk').classList.contains('compact');
    for (const each of find('questions').querySelectorAll('details.more')) each.open = !isCompact;
  }

  get hasSingleKeys() {
    return this.shelf.read('single-keys', true);
  }

  get item() {
    return this.items[this.index];
  }

  /** Begin with what the server has; what waits is sent first, so that it knows what is answered. */
  async load() {
    this.#setReady(false);
    await this.queue.send();
    await this.fetching;
    if (this.isReady) return;
    const page = await this.#fetchPage();
    if (!page) return;
    this.isDrained = false;
    if (!page.items.length && this.queue.waiting.length) {
      this.#later(word('still_waiting'));
    } else if (!page.items.length) {
      this.#leave('/done');
    } else {
      if (this.isWaiting) unnotice('moment', 'unsent');
      this.isWaiting = false;
      this.items = page.items;
      this.index = 0;
      this.#open();
      this.#rest();
      this.#fetchAhead();
    }
  }

  #startAgain() {
    this.items = [];
    this.index = 0;
    this.isDrained = false;
    return this.load();
  }

  /** Get the texts after those that are here, while the person works. */
  #fetchAhead() {
    const toCome = this.items.length - this.index - 1;
    if (this.isDrained || this.fetching || toCome >= this.ahead * ENOUGH) return;
    this.fetching = this.#fetchPage().then((page) => {
      this.fetching = null;
      if (!page) return;
      this.isDrained = !page.items.length;
      this.items.push(...page.items);
      if (!this.isReady && this.item) this.#arrive();
    });
  }

  /** Ask for texts, and return the page without those that are here; null if it did not come. */
  async #fetchPage() {
    const held = this.items.slice(this.index).map((item) => item.handle);
    const sent = this.queue.waiting.map((entry) => entry.body.handle);
    const query = new URLSearchParams({ held: held.join(), sent: [...new Set(sent)].join() });
    let response;
    try {
      response = await fetch(address(`/api/page?${query}`), { headers: { Accept: 'application/json' } });
    } catch {
      this.#later(word('offline'));
      return null;
    }
    if (response.status === 401 || response.status === 403) {
      this.#leave('/');
      return null;
    }
    const page = await response.json().catch(() => ({}));
    if (!response.ok) {
      this.#later(page.error?.message ?? word('odd_server'));
      return null;
    }
    const here = new Set([...held, ...this.items.slice(this.index).map((item) => item.handle)]);
    page.items = page.items.filter(({ handle }) => !here.has(handle) && !this.queue.has(handle));
    this.ahead = page.ahead;
    this.pace.take(page, this.queue.unstored);
    this.isRestDue ||= page.break_due;
    return page;
  }

  #arrive() {
    this.#open();
    this.#rest();
    say(`${find('place').textContent}.`);
  }

  #rest() {
    if (this.isRestDue) find('rest').showModal();
    this.isRestDue = false;
  }

  #leave(path) {
    this.isLeaving = true;
    location.assign(address(path));
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

  /** Try again soon, unless there is something to do meanwhile. */
  #later(sentence) {
    if (this.isReady) return;
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
    this.suggestions.begin(item.suggestion, item.text);
    this.form.write(answers);
    this.suggestions.draw(this.form.shown);
    this.#fold();
    this.skipped.delete(item.handle);
    this.#showSkipped();
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
    const { handle } = this.item;
    if (!this.numbers.has(handle)) this.numbers.set(handle, this.pace.today + this.numbers.size + 1);
    find('place').textContent = word('place', { number: this.numbers.get(handle) });
    this.#showPace();
  }

  #showPace() {
    find('pace').textContent = this.pace.sentence();
    const { done, left } = this.pace;
    find('bar').hidden = left === null;
    if (left === null) return;
    find('bar').setAttribute('aria-valuemax', done + left);
    find('bar').setAttribute('aria-valuenow', done);
    find('bar').firstElementChild.style.inlineSize = `${(100 * done) / Math.max(1, done + left)}%`;
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
    find('questions').classList.toggle('covered', isCovered);
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
    this.suggestions.draw(this.form.shown);
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

  /** Take over or refuse the suggestion of a question; say whether it has one. */
  settle(act, instance = this.current) {
    if (!this.isReady || !instance || !this.suggestions[act](instance)) return false;
    this.#setCurrent(instance);
    showProblem(instance.element, '');
    say(word(act === 'take' ? 'suggestion_taken' : 'suggestion_refused'));
    if (act === 'take') {
      const next = this.form.nextOpen(instance) ?? this.form.nextOpen(null);
      if (next) this.#focus(next);
      else find('save').focus();
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
    const suggested = this.suggestions.open(this.form.shown);
    if (suggested) {
      showProblem(suggested.element, word('suggestion_settle'));
      this.#focus(suggested);
      say(word('suggestion_settle'));
      return;
    }
    unnotice('moment');
    const { item } = this;
    const answers = this.form.answers();
    const seconds = this.clock.seconds();
    this.pace.add(item.handle, seconds);
    this.history.push({ item, answers });
    this.shelf.remove(`draft:${item.handle}`);
    this.queue.add(ANSWER, { handle: item.handle, answers, seconds });
    this.#next();
  }

  skip() {
    if (!this.isReady) return;
    const { item } = this;
    unnotice('moment');
    const answers = this.form.answers();
    this.history.push({ item, answers, isSkip: true });
    this.skipped.set(item.handle, { item, answers });
    this.shelf.remove(`draft:${item.handle}`);
    this.queue.add('/api/skip', { handle: item.handle, reason: '' });
    this.#next(word('skipped'));
  }

  #next(news = '') {
    this.index += 1;
    if (this.item) {
      this.#open();
      this.#rest();
      say(`${news} ${find('place').textContent}.`);
      this.#fetchAhead();
    } else {
      if (news) say(news);
      this.#setReady(false);
      // What is on its way comes first; when it was the last, everything is asked for again.
      (this.fetching ?? Promise.resolve()).then(() => {
        if (!this.item && !this.isWaiting) this.load();
      });
    }
  }

  undo() {
    if (!this.isReady) return;
    if (this.undone.length) {
      this.form.write(JSON.parse(this.undone.pop()));
      this.suggestions.draw(this.form.shown);
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

  #showSkipped() {
    const count = this.skipped.size;
    find('return').hidden = !count;
    find('return').textContent = count ? word('skipped_count', { count }) : '';
  }

  /** Go back to the text that was skipped last; the one on the screen comes after it. */
  returnToSkipped() {
    if (!this.isReady || !this.skipped.size) return;
    const { item, answers } = [...this.skipped.values()].at(-1);
    this.items.splice(this.index, 0, item);
    this.#open(answers);
    say(word('unskipped'));
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

  #hear({ waiting, problem, refused, lost, stored }) {
    const net = find('net');
    net.hidden = !waiting;
    if (waiting) {
      const count = waiting;
      net.textContent = problem ? word('kept', { count }) : word('sending', { count });
    }
    if (stored) {
      this.pace.store(stored);
      this.#showPace();
      unnotice('unsent');
    }
    if (problem && problem !== 'offline') notice(problem, 'unsent');
    if (lost) notice(word('stores_nothing'), 'lasting');
    if (refused) {
      notice(word('refused', { why: refused }), 'lasting');
      // What was fetched ahead may be refused, too: ask what is left to do.
      this.#startAgain();
    }
  }
}

/**
 * Show a sentence: for `moment` until the next answer is given, `unsent` until one is stored,
 * `lasting` until it is closed. Somebody who types ahead must see what went wrong.
 */
function notice(sentence, kind = 'moment') {
  const place = find('notice');
  if (place.dataset.kind === 'lasting' && kind !== 'lasting' && !place.hidden) return;
  place.dataset.kind = kind;
  place.firstElementChild.textContent = sentence;
  find('close-notice').hidden = kind !== 'lasting';
  place.hidden = false;
}

function unnotice(...kinds) {
  if (kinds.includes(find('notice').dataset.kind)) find('notice').hidden = true;
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
