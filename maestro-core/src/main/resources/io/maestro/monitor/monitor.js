import {badge, clean, clock, count, diff, dollars, el, fold, graph, kind, KINDS, machine, many, meter, pre, pretty, table, took} from './views.js';
import {Calls} from './calls.js';

const $ = id => document.getElementById(id);
const GROUPS = [['wait', 'Waits'], ['work', 'At work'], ['ask', 'Asks'], ['done', 'Done'], ['fail', 'Failed']];
const MOST_LINES = 500, MOST_TEXT = 20_000, MOST_CARDS = 200, MOST_POSTS = 200, DETAILS_MS = 2000;

let board = null, machines = null, opened = null, opening = 0, logLines = [];
const written = new Map();      // agent and story: what its model writes
const calls = new Calls(openCall);

// Reading changes nothing: what a change of the machine's networks broke off is read again.
async function get(path, query = {}, more = 2) {
  const response = await fetch(path + '?' + new URLSearchParams(query), {cache: 'no-store'}).catch(failure => {
    if (more === 0) throw failure;
  });
  if (!response) {
    await new Promise(done => setTimeout(done, 200));
    return get(path, query, more - 1);
  }
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

async function post(action, input) {
  const response = await fetch(action, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(input)});
  const answer = await response.json().catch(() => ({error: 'the monitor answered with status ' + response.status}));
  if (answer.error) throw new Error(answer.error);
  return answer;
}

let messageTimer;
function say(text) {
  $('message').textContent = clean(text);
  clearTimeout(messageTimer);
  messageTimer = setTimeout(() => { $('message').textContent = ''; }, 8000);
}

async function act(action, input, done) {
  try {
    const answer = await post(action, input);
    if (answer.text || done) say(answer.text ?? done);
    return true;
  } catch (failure) {
    say(failure.message);
    return false;
  } finally {
    await readBoard();
    if (opened?.story) openStory(opened.story, false);
  }
}

// What is redrawn between a press and its release would swallow the click.
let pressed = false, due = false;
document.addEventListener('pointerdown', () => { pressed = true; }, true);
for (const end of ['pointerup', 'pointercancel']) {
  document.addEventListener(end, () => setTimeout(() => { pressed = false; if (due) drawAll(); }, 0), true);
}

// ---- Tabs

const tabs = [...document.querySelectorAll('[role=tab]')];
function show(tab) {
  for (const other of tabs) {
    const on = other === tab;
    other.setAttribute('aria-selected', String(on));
    other.tabIndex = on ? 0 : -1;
    $(other.getAttribute('aria-controls')).hidden = !on;
  }
  calls.soon();
  if (tab.id === 'tab-agents') drawAgents();
}
tabs.forEach((tab, i) => {
  tab.addEventListener('click', () => show(tab));
  tab.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (step) { const next = tabs[(i + step + tabs.length) % tabs.length]; next.focus(); show(next); }
  });
});
document.addEventListener('keydown', event => {
  if (event.key === '/' && !/INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName)) {
    event.preventDefault();
    show($('tab-calls'));
    $('filters').elements.text.focus();
  } else if (event.key === 'Escape' && !$('details').hidden) close();
});

// ---- The board

let boardTimer, asked = 0;
function boardSoon(after = 250) {
  boardTimer ??= setTimeout(() => { boardTimer = null; readBoard(); }, after);
}

async function readBoard() {
  const mine = ++asked;
  try {
    const read = await get('board');
    // An older answer that comes late is none.
    if (mine !== asked) return;
    board = read;
    drawAll();
    live();
  } catch (failure) {
    $('connection').textContent = 'not reached';
    $('connection').className = '';
  }
}

function drawAll() {
  due = pressed;
  if (due || !board) return;
  drawBoard();
  drawInbox();
  if (!$('agents').hidden) drawAgents();
}

const busy = element => element !== document.activeElement && element.contains(document.activeElement)
  && /INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName);

/** Where a story stands in the queue into its target branch; null when it is in none. */
function turn(id) {
  const one = board.queue.find(one => one.story === id);
  if (!one) return null;
  const place = board.queue.filter(other => other.target === one.target).indexOf(one) + 1;
  return `number ${place} in the queue into ${one.target}${one.waits ? '' : ', stands aside'}`;
}

function card(story) {
  const agent = board.agents.find(one => one.story === story.id && one.role === 'coder');
  return el('button', {class: 'card ' + kind(story.state) + (opened?.story === story.id ? ' selected' : ''), 'data-story': story.id, onclick: () => openStory(story.id)},
    el('div', {}, el('b', {}, story.id), ' ', story.title),
    el('div', {class: kind(story.state)}, badge(story.state), board.paused.includes(story.id) ? el('span', {class: 'dim'}, ' paused') : null),
    el('div', {class: 'dim'}, [story.agent, story.attempt > 1 ? 'attempt ' + story.attempt : null, many(story.tokens) + ' tokens', dollars(story.dollars), agent?.tool].filter(Boolean).join(' · ')),
    turn(story.id) ? el('div', {class: 'dim'}, turn(story.id)) : null,
    story.tests === 'UNTESTED' ? el('div', {class: 'failed'}, 'UNTESTED') : null,
    story.error ? el('div', {class: 'failed'}, story.error.slice(0, 160)) : null,
    meter('tokens', story.usedTokens), meter('cost', story.usedDollars));
}

let specsDrawn = '';
function drawSpecs() {
  const stamp = JSON.stringify([board.specs, board.stories.map(story => [story.id, story.title, story.state, story.dependsOn])]);
  if (stamp === specsDrawn) return;
  specsDrawn = stamp;
  const focused = document.activeElement?.dataset?.key, lefts = [...document.querySelectorAll('.graph')].map(one => one.scrollLeft);
  $('specs').replaceChildren(...board.specs.map(spec => {
    const stories = board.stories.filter(story => story.spec === spec.id);
    return el('div', {}, el('div', {class: 'bar'}, el('h2', {}, spec.title), badge(spec.state), el('button', {'data-key': 'spec ' + spec.id, onclick: () => openSpec(spec.id)}, 'Look')),
      spec.error ? el('p', {class: 'error'}, spec.error) : null, stories.length ? graph(stories, openStory) : null);
  }));
  [...document.querySelectorAll('.graph')].forEach((one, i) => { one.scrollLeft = lefts[i] ?? 0; });
  if (focused) $('specs').querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({preventScroll: true});
}

const moved = id => {
  const story = board.stories.find(one => one.id === id);
  return JSON.stringify([story?.state, story?.attempt, board.paused.includes(id), turn(id)]);
};
const stamp = id => {
  const story = board.stories.find(one => one.id === id);
  return JSON.stringify([story?.at, story?.tokens, moved(id)]);
};

function drawBoard() {
  const all = [...board.stories, ...board.specs], known = all.filter(one => one.dollars != null);
  const spent = dollars(known.reduce((sum, one) => sum + Number(one.dollars), 0));
  $('totals').textContent = [count(board.stories.length, 'story', 'stories'), many(all.reduce((sum, one) => sum + one.tokens, 0)) + ' tokens',
    known.length === all.length ? spent : known.length ? 'at least ' + spent : 'cost not known'].join(' · ');
  $('no-stories').hidden = board.stories.length > 0;
  drawSpecs();
  const focused = document.activeElement?.dataset?.story;
  $('columns').replaceChildren(...GROUPS.map(([group, name]) => {
    const stories = board.stories.filter(story => (KINDS[story.state] ?? 'work') === group).sort((a, b) => b.at - a.at);
    return el('div', {class: 'column'}, el('h3', {}, name, ' ', el('span', {}, many(stories.length))), stories.slice(0, MOST_CARDS).map(card),
      stories.length > MOST_CARDS ? el('p', {class: 'dim'}, `and ${many(stories.length - MOST_CARDS)} older ones`) : null);
  }));
  if (focused) document.querySelector(`#columns [data-story="${CSS.escape(focused)}"]`)?.focus({preventScroll: true});
  if (busy($('details'))) return;
  // All of a story is read at once where it has moved, and now and then where it has only used more.
  if (opened?.story && opened.stamp !== stamp(opened.story) && (opened.moved !== moved(opened.story) || Date.now() - opened.at > DETAILS_MS)) openStory(opened.story, false);
  if (opened?.spec && opened.stamp !== JSON.stringify(board.specs.find(one => one.id === opened.spec))) openSpec(opened.spec, false);
}

// ---- The inbox

$('person').value = localStorage.getItem('maestro-person') ?? '';
$('person').addEventListener('change', () => localStorage.setItem('maestro-person', $('person').value.trim()));

function person() {
  const name = $('person').value.trim();
  if (!name) { say('Say who you are: write your name at the top.'); $('person').focus(); return null; }
  return name;
}

function given(item) {
  return item.given.map(one => el('p', {class: 'dim'}, `${clock(one.at)} ${one.person} has approved${one.message ? ': ' + one.message : ''}; somebody else must, too`));
}

function request(item) {
  const plan = item.kind === 'PLAN_REVIEW' && item.facts.plan != null && item.approvals < 2 ? el('textarea', {rows: 12, 'aria-label': 'The plan, which you may change', maxlength: 20000}) : null;
  if (plan) plan.value = item.facts.plan;
  // As the field has it: it changes line ends by itself.
  const submitted = plan?.value, hidden = plan && clean(submitted) !== submitted;
  const message = el('textarea', {rows: 2, maxlength: 20000});
  const answer = async decision => {
    const who = person();
    if (!who) return;
    const input = {id: item.id, person: who, decision, message: message.value};
    if (decision === 'APPROVED' && plan && plan.value !== submitted) input.plan = plan.value;
    for (const button of buttons) button.disabled = true;
    if (!await act('answer', input)) for (const button of buttons) button.disabled = false;
  };
  const question = item.kind === 'QUESTION';
  const buttons = [el('button', {class: 'good', onclick: () => answer(question ? 'ANSWER' : 'APPROVED')}, question ? 'Answer' : 'Approve')];
  if (!question && item.kind !== 'TOOL_CALL') buttons.push(el('button', {onclick: () => answer('NEEDS_CHANGES')}, 'Ask for changes'));
  buttons.push(el('button', {class: 'bad', onclick: () => answer('REJECTED')}, question ? 'End the story' : 'Reject'));
  // What was asked comes first, and is in sight.
  const facts = Object.entries(item.facts).filter(([name]) => name !== 'plan' || !plan)
    .map(([name, text], i) => fold(name, name === 'diff' ? diff(text) : pre(text), i === 0 || !text.trim().includes('\n')));
  return el('div', {class: 'request', 'data-id': item.id}, el('div', {class: 'bar'}, el('b', {class: 'k-ask'}, item.kind.replace('_', ' ').toLowerCase()),
    el('button', {onclick: () => openStory(item.story)}, item.story + ' ' + item.title), el('span', {class: 'dim'}, `${item.agent} asks since ${clock(item.at)}, until ${new Date(item.until).toLocaleString()}. If nobody answers: ${item.otherwise}`)),
    facts, fold('story', pre(item.content)), hidden ? el('p', {class: 'error'}, 'The plan has characters that nobody sees, or that turn the direction of writing. As it is:') : null, hidden ? pre(item.facts.plan) : null,
    plan ? el('label', {class: 'block'}, 'The plan, which you may change before you approve it', plan) : null,
    el('div', {class: 'given'}, given(item)),
    el('label', {class: 'block'}, question ? 'Your answer' : 'Message', message), el('div', {class: 'bar'}, buttons));
}

// What belongs to it is read once: it does not change.
async function readRequest(id) {
  const place = el('div', {'data-id': id});
  $('requests').append(place);
  try {
    place.replaceWith(request(await get('request', {id})));
  } catch {
    // It is read again with the next board.
    place.remove();
  }
}

function drawInbox() {
  const there = new Map([...$('requests').children].map(one => [one.dataset.id, one]));
  for (const item of board.inbox) {
    const known = there.get(item.id);
    there.delete(item.id);
    // What somebody is writing stays.
    if (known) known.querySelector('.given')?.replaceChildren(...given(item)); else readRequest(item.id);
  }
  for (const gone of there.values()) gone.remove();
  $('inbox').hidden = board.inbox.length === 0;
  document.title = (board.inbox.length ? `(${board.inbox.length}) ` : '') + 'Maestro';
}

// ---- Details

function open(what, ...content) {
  const same = JSON.stringify([opened?.story, opened?.call, opened?.spec]) === JSON.stringify([what.story, what.call, what.spec]);
  const folds = same ? [...$('details').querySelectorAll('details')].map(one => one.open) : [], top = same ? $('details').scrollTop : 0;
  opened = what;
  $('details').replaceChildren(el('div', {class: 'bar'}, el('button', {onclick: close, 'aria-label': 'Close the details'}, '✕'), what.title), ...content.flat().filter(Boolean));
  [...$('details').querySelectorAll('details')].forEach((one, i) => { if (i in folds) one.open = folds[i]; });
  $('details').hidden = false;
  $('details').scrollTop = top;
  if (what.focus) $('details').focus();
}

function close() {
  const from = opened;
  opened = null;
  opening++;
  $('details').hidden = true;
  drawBoard();
  if (from?.call) $('list').focus({preventScroll: true});
  else if (from?.story) document.querySelector(`#columns [data-story="${CSS.escape(from.story)}"]`)?.focus({preventScroll: true});
}

async function openCall(call) {
  const mine = ++opening;
  let found = null;
  try {
    found = await get('call', {story: call.story, agent: call.agent, attempt: call.attempt, id: call.id});
  } catch {
    // It runs, or is not in the record yet.
  }
  if (mine !== opening) return;
  const outcome = Calls.outcome(call);
  open({call: call.key, title: el('h2', {}, call.tool)},
    el('p', {class: 'dim'}, `${call.agent} for ${call.story}, attempt ${call.attempt}, in ${call.state}, ${clock(call.at)}, call ${call.id}` + (found?.parent_call_id ? `, made by call ${found.parent_call_id}` : '')),
    el('p', {}, el('b', {class: outcome}, outcome), ' ', took(call.ms), found?.exit_code != null ? `, exit code ${found.exit_code}` : ''),
    el('h3', {}, 'Parameters'), pre(pretty(found?.parameters ?? call.brief)),
    found?.error ? [el('h3', {}, 'What went wrong'), pre(found.error)] : null,
    found?.result ? [el('h3', {}, 'Answer'), pre(found.result)] : found ? null : call.answer ? pre(call.answer) : null);
}

async function openStory(id, focus = true) {
  const mine = ++opening, row = board.stories.find(story => story.id === id), seen = stamp(id), state = moved(id);
  if (!row && board.specs.some(spec => spec.id === id)) return openSpec(id, focus);
  let story;
  try {
    story = await get('story', {id});
  } catch (failure) {
    say(failure.message);
    return;
  }
  if (mine !== opening || !row) return;
  const ended = ['DONE', 'ERROR'].includes(row.state), paused = board.paused.includes(id);
  const plan = story.requests.filter(one => one.facts.plan != null).at(-1), tests = calls.all.filter(call => call.story === id && call.tool === 'test').at(-1);
  const text = [...written.values()].filter(one => one.story === id && one.text).at(-1);
  open({story: id, stamp: seen, moved: state, at: Date.now(), focus, title: el('h2', {}, `${id}: ${story.title}`)},
    el('div', {class: 'bar'}, badge(row.state), paused ? el('span', {class: 'dim'}, 'paused') : null, turn(id) ? el('span', {class: 'dim'}, turn(id)) : null, row.tests === 'UNTESTED' ? el('span', {class: 'failed'}, 'UNTESTED') : null, el('span', {class: 'dim'}, [row.agent, 'attempt ' + row.attempt, many(row.tokens) + ' tokens', dollars(row.dollars), story.merge_commit ? 'merged as ' + story.merge_commit.slice(0, 12) : story.branch].filter(Boolean).join(' · '))),
    meter('tokens', row.usedTokens), meter('cost', row.usedDollars),
    row.error ? el('p', {class: 'error'}, row.error) : null,
    el('div', {class: 'bar'}, ended ? null : paused ? el('button', {onclick: () => act('go-on', {id}, 'goes on')}, 'Go on') : el('button', {onclick: () => act('pause', {id}, 'is paused')}, 'Pause'),
      ended ? null : el('button', {class: 'bad', onclick: () => confirm(`Cancel story ${id}? It ends; what was paid is spent.`) && act('cancel', {id, person: $('person').value})}, 'Cancel'),
      turn(id) ? el('button', {onclick: () => act('merge-next', {id}, 'is merged next')}, 'Merge next') : null,
      row.state === 'ERROR' ? el('button', {onclick: () => act('retry', {id}, 'the next attempt begins')}, 'Retry') : null,
      el('button', {onclick: () => { calls.only(id); show($('tab-calls')); }}, 'Its calls'),
      el('a', {href: 'report?' + new URLSearchParams({id}), target: '_blank', rel: 'noopener'}, 'Report')),
    machine('coder', machines.coder, row.state),
    fold('What was to be done', pre(story.content)),
    fold('Plan', pre(plan?.plan ?? plan?.facts.plan), true),
    fold('Todos', todos(story.todos), true),
    tests ? fold('Last tests: ' + Calls.outcome(tests), el('button', {onclick: () => openCall(tests)}, 'Look at the call')) : null,
    text ? fold('What the model writes', pre(text.text), true) : null,
    fold(`What was asked and decided: ${story.requests.length}`, story.requests.length ? el('div', {}, story.requests.map(decided)) : null),
    fold(`Changes of state: ${story.transitions.length}`, table(['Time', 'From', 'To', 'Why'], story.transitions.map(one => [clock(one.at), one.from, one.to, one.reason]))),
    fold('Cost', costs(story.costs)),
    fold('What was merged', story.diff ? diff(story.diff) : null, true));
}

function todos(json) {
  if (!json) return null;
  try {
    return el('ul', {}, JSON.parse(json).map(todo => el('li', {}, `${{done: '☑', in_progress: '▸', dropped: '−'}[todo.status] ?? '☐'} ${todo.text}`)));
  } catch {
    return pre(json);
  }
}

function decided(one) {
  const answered = one.kind === 'QUESTION' && ['APPROVED', 'NEEDS_CHANGES'].includes(one.decision);
  return fold(el('span', {}, clock(one.requested_at) + ' ' + one.kind.replace('_', ' ').toLowerCase() + ': ', el('b', {}, answered ? 'answered' : one.decision ?? 'waits'), one.by ? ' by ' + one.by : ''),
    el('div', {}, pre(one.message), one.votes.map(vote => el('p', {}, `${clock(vote.at)} ${vote.person}: ${vote.decision}${vote.message ? ': ' + vote.message : ''}`)),
      Object.entries(one.facts).map(([name, text]) => fold(name, name === 'diff' ? diff(text) : pre(text), !text.trim().includes('\n'))),
      one.plan ? [el('div', {class: 'dim'}, 'the plan as it was approved'), pre(one.plan)] : null));
}

function costs(rows) {
  return rows.length ? table(['Agent', 'State', 'Model', 'Attempt', 'Requests', 'Read', 'Cached', 'Written', 'Dollars'],
    rows.map(one => [one.agent_id, one.state, one.model, one.attempt, one.requests, one.usage.input_tokens + one.usage.cache_write_tokens, one.usage.cache_read_tokens, one.usage.output_tokens, one.dollars ?? 'not known'])) : null;
}

async function openSpec(id, focus = true) {
  const mine = ++opening, row = board.specs.find(one => one.id === id);
  let spec;
  try {
    spec = await get('spec', {id});
  } catch (failure) {
    say(failure.message);
    return;
  }
  if (mine !== opening) return;
  open({spec: id, stamp: JSON.stringify(row), focus, title: el('h2', {}, `${id}: ${spec.title}`)},
    el('div', {class: 'bar'}, badge(row.state), ['DONE', 'ERROR'].includes(row.state) ? null : el('button', {class: 'bad', onclick: () => confirm(`Cancel specification ${id} and its stories?`) && act('cancel', {id, person: $('person').value})}, 'Cancel'),
      el('a', {href: 'report?' + new URLSearchParams({id}), target: '_blank', rel: 'noopener'}, 'Report')),
    row.error ? el('p', {class: 'error'}, row.error) : null,
    machine('architect', machines.architect, row.state),
    fold('What is to be built', pre(spec.content), true),
    fold(`Changes of state: ${spec.transitions.length}`, table(['Time', 'From', 'To', 'Why'], spec.transitions.map(one => [clock(one.at), one.from, one.to, one.reason]))),
    fold('Cost', costs(spec.costs), true));
}

// ---- Agents, and what their models write

function agentKey(agent, story) {
  return JSON.stringify([agent, story]);
}

function drawAgents() {
  if (!board || !machines) return;
  const there = new Map([...$('agents').children].map(one => [one.dataset.key, one]));
  for (const agent of board.agents) {
    const key = agentKey(agent.id, agent.story);
    let made = there.get(key);
    there.delete(key);
    if (!made) {
      made = el('div', {class: 'agent', 'data-key': key}, el('div'), el('div'), el('pre', {class: 'written', 'aria-label': 'What its model writes'}, written.get(key)?.text ?? ''));
      $('agents').append(made);
    }
    const [head, drawing] = made.children;
    head.replaceChildren(el('div', {class: 'bar'}, el('h3', {}, agent.id), badge(agent.state), el('button', {onclick: () => openStory(agent.story)}, agent.story),
      el('span', {class: 'dim'}, [agent.model, agent.tool ? 'last call ' + agent.tool : null, many(agent.tokens) + ' tokens'].filter(Boolean).join(' · '))));
    if (drawing.dataset.state !== agent.state) {
      drawing.dataset.state = agent.state;
      drawing.replaceChildren(...[machine(agent.role, machines[agent.role], agent.state)].filter(Boolean));
    }
  }
  for (const gone of there.values()) gone.remove();
  if (!board.agents.length) $('agents').replaceChildren(el('p', {class: 'dim'}, 'Nobody works now.'));
}

function wrote(event) {
  const key = agentKey(event.agent, event.story), known = written.get(key);
  const text = (event.begins || !known ? '' : known.text) + event.text;
  written.delete(key);
  written.set(key, {story: event.story, text: text.slice(-MOST_TEXT)});
  if (written.size > 50) written.delete(written.keys().next().value);
  const shown = $('agents').querySelector(`[data-key="${CSS.escape(key)}"] .written`);
  if (shown) {
    const end = shown.scrollHeight - shown.scrollTop - shown.clientHeight < 20;
    shown.textContent = clean(text.slice(-MOST_TEXT));
    if (end) shown.scrollTop = shown.scrollHeight;
  }
}

// ---- Chat and log

function postLine(one) {
  return el('div', {class: 'post', 'data-number': one.number}, el('span', {class: 'time'}, clock(one.at) + ' '), el('b', {}, one.author), one.story_id ? el('span', {class: 'dim'}, one.story_id) : null, el('pre', {}, one.text));
}

async function readChat() {
  $('posts').replaceChildren(...(await get('chat')).posts.map(postLine));
}

$('say').addEventListener('submit', async event => {
  event.preventDefault();
  const text = $('say').elements.text, who = person();
  if (who && text.value.trim() && await act('chat', {person: who, text: text.value})) text.value = '';
});

function log(event) {
  logLines.push(el('li', {}, el('span', {class: 'time'}, clock(event.at) + ' '), el('b', {}, event.story + ' ' + event.agent + ' '), event.text));
  if (logLines.length > MOST_LINES) logLines.shift().remove();
  $('lines').prepend(logLines.at(-1));
}

// ---- What happens

function happened(event) {
  if (event.type === 'TextWritten') { wrote(event); return; }
  if (event.type === 'EventsLost') { readAll(); return; }
  if (event.type.startsWith('Tool')) calls.event(event);
  if (event.type === 'ChatPosted' && !$('posts').querySelector(`[data-number="${Number(event.number)}"]`)) {
    $('posts').append(postLine({number: event.number, at: event.at, author: event.agent, story_id: event.story, text: event.text}));
    if ($('posts').children.length > MOST_POSTS) $('posts').firstChild.remove();
  }
  if (event.text && event.type !== 'ToolProgressed') log(event.type === 'ToolFinished' ? {...event, text: `${event.tool}${event.failed ? ' FAILED' : ''}: ${event.text}`} : event);
  if (!['ToolStarted', 'ToolProgressed', 'ModelCalled'].includes(event.type)) boardSoon();
}

let reading = 0;
async function readAll() {
  const mine = ++reading;
  readBoard();
  readChat().catch(failure => say(failure.message));
  let next = '', read = 0;
  do {
    let page;
    try {
      page = await get('calls', next ? {after: next} : {});
    } catch (failure) {
      say(failure.message);
      await new Promise(resolve => setTimeout(resolve, 3000));
      if (mine !== reading) return;
      continue;
    }
    if (mine !== reading) return;
    calls.add(page.calls);
    read += page.calls.length;
    next = page.next;
    if (!next) break;
    await new Promise(resolve => setTimeout(resolve, 0));
  } while (read < 50_000);
  document.body.dataset.read = 'all';
}

let events = null, before = false;
function live() {
  const on = events?.readyState === EventSource.OPEN;
  $('connection').textContent = on ? 'live' : 'not connected';
  $('connection').className = on ? 'on' : '';
}

function listen() {
  events = new EventSource('events');
  events.onopen = () => {
    live();
    // What came in between is in the record.
    if (before) readAll();
    before = true;
  };
  events.onerror = () => {
    live();
    // A refusal is final for the browser: too many watch, or nothing is shown yet.
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  };
  events.onmessage = message => happened(JSON.parse(message.data));
  events.addEventListener('reset', () => readAll());
}

machines = await get('machines');
listen();
await readAll();
setInterval(() => { if (!document.hidden) { boardSoon(); calls.tick(); } }, 5000);
