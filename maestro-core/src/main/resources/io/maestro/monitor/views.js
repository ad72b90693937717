// Makes what is seen. All text comes in by text nodes: nothing that an agent wrote becomes markup.

// As in HiddenCharacters. U+FE0F behind a sign makes an emoji of it.
const INVISIBLE = /(?!(?<=\p{So})\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{16FE4}\u{1D159}]/gu;

// Characters that nobody sees, or that turn the direction of writing, are shown as their codes.
export function clean(text) {
  return String(text ?? '').replace(INVISIBLE, c => c === '\n' || c === '\t' ? c : '\\u' + c.codePointAt(0).toString(16).padStart(4, '0'));
}

export function el(name, attributes = {}, ...children) {
  const made = name.startsWith('svg:')
    ? document.createElementNS('http://www.w3.org/2000/svg', name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  for (const child of children.flat()) {
    if (child != null) made.append(child instanceof Node ? child : document.createTextNode(clean(child)));
  }
  return made;
}

export const svg = (name, attributes, ...children) => el('svg:' + name, attributes, ...children);

export const KINDS = {
  WAITING: 'wait', SUSPEND: 'wait', SETUP: 'work', PLANNING: 'work', CODING: 'work', TESTING: 'work', PREPARE_MERGE: 'work',
  PLAN_REVIEW: 'ask', CODE_REVIEW: 'ask', BUDGET_REVIEW: 'ask', QUESTION: 'ask', AWAIT_MERGE: 'ask', DONE: 'done', ERROR: 'fail',
  SCOPING: 'work', DISPATCHING: 'work', MONITORING: 'work', EDITING: 'work', ANSWERING: 'work',
};
export const kind = state => 'k-' + (KINDS[state] ?? 'work');
export const badge = state => el('span', {class: 'state ' + kind(state)}, state);

export function clock(at) {
  return new Date(at).toLocaleTimeString([], {hour12: false});
}

export function took(ms) {
  if (ms == null) return '';
  if (ms < 60_000) return (ms / 1000).toFixed(3) + ' s';
  const s = Math.floor(ms / 1000), two = n => String(n).padStart(2, '0');
  return s < 3600 ? Math.floor(s / 60) + ':' + two(s % 60) + ' min' : Math.floor(s / 3600) + ':' + two(Math.floor(s / 60) % 60) + ':' + two(s % 60) + ' h';
}

export const many = n => Number(n ?? 0).toLocaleString('en');
export const count = (n, one, more) => many(n) + ' ' + (n === 1 ? one : more);
export const dollars = text => text == null ? 'cost not known' : '$' + Number(text).toFixed(4).replace(/0{1,2}$/, '');

export function meter(name, part) {
  if (part == null) return null;
  const share = Math.min(1, part);
  const bar = el('i');
  bar.style.width = (share * 100).toFixed(1) + '%';
  return el('div', {class: 'meter' + (share > .8 ? ' high' : ''), role: 'meter', 'aria-label': name, 'aria-valuemin': 0, 'aria-valuemax': 100,
    'aria-valuenow': Math.round(share * 100), title: name + ': ' + Math.round(share * 100) + ' % of the budget'}, bar);
}

// The stories of a specification, each right of those that it depends on.
export function graph(stories, open) {
  const byId = new Map(stories.map(story => [story.id, story])), depth = new Map();
  const deep = (id, seen = new Set()) => {
    if (depth.has(id)) return depth.get(id);
    if (seen.has(id)) return 0;
    seen.add(id);
    const before = byId.get(id).dependsOn.filter(other => byId.has(other)).map(other => deep(other, seen) + 1);
    depth.set(id, Math.max(0, ...before));
    return depth.get(id);
  };
  const rows = [], place = new Map(), W = 190, H = 42, GX = 46, GY = 12;
  for (const story of stories) {
    const x = deep(story.id);
    rows[x] = (rows[x] ?? 0) + 1;
    place.set(story.id, [x * (W + GX) + 4, (rows[x] - 1) * (H + GY) + 4]);
  }
  const width = rows.length * (W + GX) - GX + 8, height = Math.max(...rows) * (H + GY) - GY + 8;
  const drawing = svg('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'Which story depends on which'});
  for (const story of stories) {
    const [x2, y2] = place.get(story.id);
    for (const other of story.dependsOn) {
      if (!place.has(other)) continue;
      const [x1, y1] = place.get(other), from = x1 + W, half = (x2 - from) / 2;
      drawing.append(svg('path', {class: 'edge', d: `M${from} ${y1 + H / 2} C${from + half} ${y1 + H / 2} ${x2 - half} ${y2 + H / 2} ${x2} ${y2 + H / 2}`}));
    }
  }
  for (const story of stories) {
    const [x, y] = place.get(story.id);
    const short = story.title.length > 25 ? story.title.slice(0, 24) + '…' : story.title;
    drawing.append(svg('g', {class: 'node ' + kind(story.state), tabindex: 0, role: 'button', 'aria-label': clean(story.id + ' ' + story.title + ' ' + story.state),
      onclick: () => open(story.id), onkeydown: event => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); open(story.id); } }, 'data-key': story.id},
      svg('rect', {class: 'box', x, y, width: W, height: H, rx: 6}),
      svg('text', {x: x + 8, y: y + 17}, short), svg('text', {class: 'small', x: x + 8, y: y + 33}, story.id + '  ' + story.state)));
  }
  return el('div', {class: 'graph'}, drawing);
}

const PLACES = {
  coder: {
    WAITING: [0, 0], SETUP: [1, 0], PLANNING: [2, 0], PLAN_REVIEW: [3, 0], CODING: [4, 0], TESTING: [5, 0],
    SUSPEND: [0, 1], BUDGET_REVIEW: [2, 1], QUESTION: [3, 1],
    ERROR: [0, 2], DONE: [1, 2], AWAIT_MERGE: [2, 2], PREPARE_MERGE: [3, 2], CODE_REVIEW: [4, 2],
  },
  architect: {
    WAITING: [0, 0], SCOPING: [1, 0], DISPATCHING: [2, 0], MONITORING: [3, 0], DONE: [4, 0],
    SUSPEND: [1, 1], EDITING: [3, 1], ERROR: [4, 1],
  },
};

// An agent's states with the current one lit. Each state may lead to SUSPEND and ERROR: these edges are not drawn. Null for a
// state that is none of these, such as an architect's that answers.
export function machine(role, edges, current) {
  const places = PLACES[role];
  if (!places?.[current]) return null;
  const W = 104, H = 26, GX = 16, GY = 26, at = state => [places[state][0] * (W + GX) + 2, places[state][1] * (H + GY) + 16];
  const width = 6 * (W + GX) - GX + 4, rows = Math.max(...Object.values(places).map(place => place[1])) + 1, height = rows * (H + GY) - GY + 36;
  const drawing = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `The ${role} is in state ${current}`});
  for (const [from, next] of Object.entries(edges)) {
    for (const to of next) {
      if (!places[from] || !places[to] || from === 'SUSPEND' || to === 'SUSPEND' || to === 'ERROR') continue;
      const [x1, y1] = at(from), [x2, y2] = at(to), c1 = x1 + W / 2, c2 = x2 + W / 2, right = x2 > x1;
      let d;
      if (y1 === y2 && Math.abs(x2 - x1) <= W + GX) d = `M${right ? x1 + W : x1} ${y1 + H / 2} L${right ? x2 : x2 + W} ${y2 + H / 2}`;
      else if (y1 === y2) { const y = y1 < 60 ? y1 : y1 + H, far = y1 < 60 ? y - 18 : y + 18; d = `M${c1} ${y} C${c1} ${far} ${c2} ${far} ${c2} ${y}`; }
      else { const down = y2 > y1, y = down ? y1 + H : y1, end = down ? y2 : y2 + H, half = (end - y) / 2; d = `M${c1} ${y} C${c1} ${y + half} ${c2} ${end - half} ${c2} ${end}`; }
      drawing.append(svg('path', {class: 'edge', d}));
    }
  }
  for (const state of Object.keys(places)) {
    if (!edges[state]) continue;
    const [x, y] = at(state);
    drawing.append(svg('g', {class: kind(state) + (state === current ? ' lit' : '')},
      svg('rect', {class: 'box', x, y, width: W, height: H, rx: 6}),
      svg('text', {class: 'small', x: x + W / 2, y: y + 17, 'text-anchor': 'middle'}, state)));
  }
  const made = el('div', {class: 'machine'}, drawing);
  // Where it is narrower than its words can be read, it is moved to what is lit.
  requestAnimationFrame(() => { made.scrollLeft = (at(current)[0] + W / 2) / width * made.scrollWidth - made.clientWidth / 2; });
  return made;
}

const TOKENS = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\/\/.*|#(?!\w*\s*[{<]).*|\/\*.*?\*\/)|\b(abstract|async|await|boolean|break|case|catch|class|const|continue|def|default|do|else|enum|export|extends|false|final|finally|fn|for|from|func|function|if|implements|import|in|instanceof|int|interface|let|long|match|module|mut|new|nil|None|not|null|package|private|protected|pub|public|record|return|self|static|struct|super|switch|this|throw|throws|trait|true|True|False|try|type|use|var|void|while|with|yield)\b/g;

function tokens(line) {
  const parts = [];
  let last = 0;
  for (const found of line.matchAll(TOKENS)) {
    if (found.index > last) parts.push(line.slice(last, found.index));
    parts.push(el('b', {class: found[1] ? 'string' : found[2] ? 'note' : 'word'}, found[0]));
    last = found.index + found[0].length;
  }
  parts.push(line.slice(last));
  return parts;
}

const MOST_DIFF_LINES = 5_000;

export function diff(text) {
  const lines = text.split('\n'), pre = el('pre', {class: 'diff'});
  for (const line of lines.slice(0, MOST_DIFF_LINES)) {
    const style = /^(diff |\+\+\+|---)/.test(line) ? 'file' : line.startsWith('@@') ? 'hunk' : line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : line.startsWith(' ') ? 'same' : 'head';
    pre.append(el('span', {class: style}, ['file', 'hunk', 'head'].includes(style) || line.length > 500 ? line : tokens(line)));
  }
  if (lines.length > MOST_DIFF_LINES) pre.append(el('span', {class: 'dim'}, `… ${lines.length - MOST_DIFF_LINES} more lines in the report`));
  return pre;
}

// JSON on several lines where it is JSON.
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).replace(/\\(\\|n)/g, (all, c) => c === 'n' ? '\n' : all);
  } catch {
    return text ?? '';
  }
}

export function fold(title, content, open = false) {
  return content == null ? null : el('details', {open}, el('summary', {}, title), content);
}

export const pre = text => text ? el('pre', {}, text) : null;

export function table(heads, rows) {
  return el('div', {class: 'wide'}, el('table', {}, el('thead', {}, el('tr', {}, heads.map(head => el('th', {}, head)))),
    el('tbody', {}, rows.map(row => el('tr', {}, row.map(cell => el('td', {class: typeof cell === 'number' ? 'number' : null}, cell instanceof Node ? cell : typeof cell === 'number' ? many(cell) : cell)))))));
}
