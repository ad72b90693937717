// The calls of tools: a list that draws only the rows that are seen, and a timeline on a canvas.
import {clean, clock, el, took, kind} from './views.js';

const MOST = 50_000, ROW = 26;
const $ = id => document.getElementById(id);

export class Calls {
  constructor(open) {
    this.open = open;
    this.all = [];          // oldest first
    this.byKey = new Map();
    this.shown = [];        // what passes the filters; oldest first
    this.selected = null;
    this.view = null;       // the time on the canvas, or null for all
    this.names = {story: new Set(), agent: new Set(), tool: new Set()};
    this.filters = $('filters');
    this.filters.addEventListener('input', () => this.filter());
    this.filters.addEventListener('submit', event => event.preventDefault());
    $('list').addEventListener('scroll', () => this.rowsSoon(), {passive: true});
    $('list').addEventListener('keydown', event => this.key(event));
    new ResizeObserver(() => this.soon()).observe($('list'));
    this.wireTimeline();
  }

  static key(story, agent, attempt, id) {
    return JSON.stringify([story, agent, attempt, id]);
  }

  clear() {
    this.all = []; this.byKey.clear(); this.shown = [];
  }

  // Rows of the record.
  add(rows) {
    const more = [];
    for (const [story, agent, attempt, state, tool, id, at, ms, failed, brief] of rows) {
      const key = Calls.key(story, agent, attempt, id), known = this.byKey.get(key);
      if (known) { Object.assign(known, {ms, failed, brief, at}); this.searchable(known); continue; }
      const call = {key, story, agent, attempt, state, tool, id, at, ms, failed, brief};
      this.searchable(call);
      this.byKey.set(key, call);
      more.push(call);
    }
    // Most are older than what is there; after a break some are newer.
    this.all = more.reverse().concat(this.all).sort((a, b) => a.at - b.at);
    this.trim();
    this.filter();
  }

  // What happens now.
  event(event) {
    const key = Calls.key(event.story, event.agent, event.attempt, event.id);
    let call = this.byKey.get(key);
    if (!call) {
      call = {key, story: event.story, agent: event.agent, attempt: event.attempt, state: event.state, tool: event.tool, id: event.id,
        at: event.at - (event.ms ?? 0), ms: null, failed: false, brief: ''};
      this.byKey.set(key, call);
      this.all.push(call);
      this.trim();
    }
    if (event.type === 'ToolStarted') Object.assign(call, {brief: event.brief, at: event.at, ms: null});
    if (event.type === 'ToolFinished') Object.assign(call, {ms: event.ms, failed: event.failed, answer: event.text});
    if (event.type === 'ToolProgressed') call.answer = event.text;
    this.searchable(call);
    this.filterSoon();
  }

  searchable(call) {
    call.text = `${call.story} ${call.agent} ${call.state} ${call.tool} ${call.brief} ${call.answer ?? ''}`.toLowerCase();
    for (const name of ['story', 'agent', 'tool']) this.names[name].add(call[name]);
  }

  trim() {
    if (this.all.length > MOST) {
      for (const call of this.all.splice(0, this.all.length - MOST)) this.byKey.delete(call.key);
    }
  }

  filterSoon() {
    if (this.waits) return;
    this.waits = setTimeout(() => { this.waits = null; this.filter(); }, 100);
  }

  filter() {
    for (const name of ['story', 'agent', 'tool']) this.options(name);
    const want = Object.fromEntries(new FormData(this.filters)), text = want.text.toLowerCase();
    const since = want.time ? Date.now() - want.time * 1000 : 0;
    this.shown = this.all.filter(call => (!want.story || call.story === want.story) && (!want.agent || call.agent === want.agent)
      && (!want.tool || call.tool === want.tool) && (!want.outcome || Calls.outcome(call) === want.outcome) && call.at >= since
      && (!text || call.text.includes(text)));
    $('found').textContent = `${this.shown.length.toLocaleString('en')} of ${this.all.length.toLocaleString('en')} calls`;
    this.soon();
  }

  // The calls of one story alone.
  only(story) {
    this.names.story.add(story);
    this.options('story');
    this.filters.reset();
    this.filters.elements.story.value = story;
    this.filter();
  }

  // Time goes by.
  tick() {
    if (this.filters.elements.time.value) this.filter(); else this.soon();
  }

  options(name) {
    const select = this.filters.elements[name];
    if (select.options.length === this.names[name].size + 1) return;
    const chosen = select.value;
    select.replaceChildren(el('option', {value: ''}, 'all'), ...[...this.names[name]].sort().map(value => el('option', {value}, value)));
    select.value = chosen;
  }

  static outcome(call) {
    return call.ms == null ? 'running' : call.failed ? 'failed' : 'succeeded';
  }

  soon() {
    this.outdated = true;
    this.rowsSoon();
  }

  rowsSoon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = null; this.draw(); });
  }

  draw() {
    if ($('calls').hidden) return;
    const list = $('list'), space = $('space'), n = this.shown.length;
    space.style.height = n * ROW + 'px';
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5), last = Math.min(n, first + Math.ceil(list.clientHeight / ROW) + 10);
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.row(this.shown[n - 1 - i], i, n));
    space.replaceChildren(...rows);
    // Scrolling the list changes nothing of it.
    if (this.outdated) { this.outdated = false; this.drawTimeline(); }
  }

  row(call, i, n) {
    const outcome = Calls.outcome(call);
    const row = el('div', {class: 'row' + (call.key === this.selected ? ' selected' : ''), role: 'option', id: 'row-' + i, 'aria-selected': String(call.key === this.selected),
      'aria-posinset': i + 1, 'aria-setsize': n, onclick: () => this.select(call)},
      el('span', {class: 'time'}, clock(call.at)), el('span', {class: 'wideonly'}, call.story), el('span', {class: 'wideonly'}, call.agent), el('b', {}, call.tool),
      el('span', {class: outcome}, outcome), el('span', {class: 'time ms wideonly'}, took(call.ms)), el('span', {class: 'mono'}, (call.brief || call.answer || '').slice(0, 200)));
    row.style.top = i * ROW + 'px';
    if (call.key === this.selected) $('list').setAttribute('aria-activedescendant', 'row-' + i);
    return row;
  }

  select(call) {
    this.selected = call.key;
    this.open(call);
    this.soon();
  }

  key(event) {
    const n = this.shown.length, step = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -n, End: n}[event.key];
    if (!step || !n) return;
    event.preventDefault();
    const now = n - 1 - this.shown.findIndex(call => call.key === this.selected);
    const next = Math.max(0, Math.min(n - 1, (now < n && now >= 0 ? now : -1) + step)), list = $('list');
    if (next * ROW < list.scrollTop) list.scrollTop = next * ROW;
    if ((next + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (next + 1) * ROW - list.clientHeight;
    this.select(this.shown[n - 1 - next]);
  }

  // ---- The timeline

  range() {
    if (this.view) return this.view;
    if (!this.shown.length) return [Date.now() - 60_000, Date.now()];
    let until = this.shown[0].at;
    for (const call of this.shown) until = Math.max(until, call.at + (call.ms ?? Date.now() - call.at));
    const from = this.shown[0].at;
    return [from, Math.max(until, from + 1000)];
  }

  zoom(by, middle = .5) {
    const [from, until] = this.range(), span = Math.max(50, (until - from) * by), at = from + (until - from) * middle;
    this.view = [at - span * middle, at + span * (1 - middle)];
    this.soon();
  }

  move(share) {
    const [from, until] = this.range(), by = (until - from) * share;
    this.view = [from + by, until + by];
    this.soon();
  }

  wireTimeline() {
    const canvas = $('timeline');
    $('zoom-in').onclick = () => this.zoom(.5);
    $('zoom-out').onclick = () => this.zoom(2);
    $('zoom-all').onclick = () => { this.view = null; this.soon(); };
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : .8, event.offsetX / canvas.clientWidth);
    }, {passive: false});
    canvas.addEventListener('keydown', event => {
      const act = {'+': () => this.zoom(.5), '-': () => this.zoom(2), '0': () => { this.view = null; this.soon(); }, ArrowLeft: () => this.move(-.2), ArrowRight: () => this.move(.2)}[event.key];
      if (act) { event.preventDefault(); act(); }
    });
    let from = null, moved = false;
    canvas.addEventListener('pointerdown', event => { from = event.offsetX; moved = false; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener('pointermove', event => {
      if (from == null) { this.hover(event); return; }
      if (Math.abs(event.offsetX - from) > 3) moved = true;
      if (moved) { this.move((from - event.offsetX) / canvas.clientWidth); from = event.offsetX; }
    });
    canvas.addEventListener('pointerup', event => {
      if (!moved) { const call = this.at(event.offsetX, event.offsetY); if (call) this.select(call); }
      from = null;
    });
  }

  hover(event) {
    const call = this.at(event.offsetX, event.offsetY);
    $('timeline').title = call ? clean(`${call.agent} ${call.tool} ${took(call.ms)} ${call.brief}`) : '';
  }

  lanes() {
    return [...new Set(this.shown.map(call => call.agent))].sort();
  }

  at(x, y) {
    const [from, until] = this.range(), width = $('timeline').clientWidth, lanes = this.lanes(), height = this.lane(lanes.length);
    const agent = lanes[Math.floor((y - 16) / height)], time = from + (until - from) * x / width, slack = (until - from) / width * 2;
    let best = null;
    for (const call of this.shown) {
      if (call.agent === agent && call.at - slack <= time && call.at + (call.ms ?? Date.now() - call.at) + slack >= time) best = call;
    }
    return best;
  }

  lane(n) {
    return Math.max(6, Math.min(26, 134 / Math.max(1, n)));
  }

  drawTimeline() {
    const canvas = $('timeline'), scale = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== width * scale || canvas.height !== height * scale) { canvas.width = width * scale; canvas.height = height * scale; }
    const draw = canvas.getContext('2d'), style = getComputedStyle(document.documentElement), color = name => style.getPropertyValue('--' + name);
    draw.setTransform(scale, 0, 0, scale, 0, 0);
    draw.clearRect(0, 0, width, height);
    const [from, until] = this.range(), lanes = this.lanes(), place = new Map(lanes.map((agent, i) => [agent, i])), lane = this.lane(lanes.length);
    const colors = {succeeded: color('ok'), failed: color('bad'), running: color('wait')}, last = new Map(), now = Date.now();
    draw.font = '11px system-ui, "DejaVu Sans", sans-serif';
    draw.fillStyle = color('dim');
    for (let i = 0; i <= 4; i++) {
      draw.textAlign = i === 0 ? 'left' : i === 4 ? 'right' : 'center';
      draw.fillText(clock(from + (until - from) * i / 4), width * i / 4, 11);
    }
    for (const pass of ['succeeded', 'running', 'failed']) {
      draw.fillStyle = colors[pass];
      last.clear();
      for (const call of this.shown) {
        if (Calls.outcome(call) !== pass) continue;
        const end = call.at + (call.ms ?? now - call.at);
        if (end < from || call.at > until) continue;
        const x = (call.at - from) / (until - from) * width, w = Math.max(1.5, (end - call.at) / (until - from) * width), before = last.get(call.agent);
        // What falls on the same point is drawn once.
        if (before != null && x + w <= before) continue;
        last.set(call.agent, x + w);
        draw.fillRect(x, 16 + place.get(call.agent) * lane + 2, w, lane - 4);
      }
    }
    draw.textAlign = 'left';
    if (lane >= 11) lanes.forEach((agent, i) => {
      const name = clean(agent).slice(0, 40), y = 16 + i * lane + lane / 2 + 4;
      draw.globalAlpha = .75; draw.fillStyle = color('back'); draw.fillRect(2, y - 11, draw.measureText(name).width + 4, 14);
      draw.globalAlpha = 1; draw.fillStyle = color('text'); draw.fillText(name, 4, y);
    });
  }
}
