'use strict';
// Filters the calls, and opens the one that a link leads to. Without scripts all calls are shown.
const form = document.querySelector('form');
const calls = Array.from(document.querySelectorAll('.call'));
function filter() {
  const text = form.text.value.toLowerCase();
  let shown = 0;
  for (const call of calls) {
    const fits = (!form.agent.value || call.dataset.agent === form.agent.value)
      && (!form.tool.value || call.dataset.tool === form.tool.value)
      && (!form.outcome.value || call.classList.contains(form.outcome.value))
      && (!text || call.textContent.toLowerCase().includes(text));
    call.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  form.querySelector('output').textContent = shown + ' of ' + calls.length;
}
function open() {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) {
    target.hidden = false;
    target.open = true;
    target.scrollIntoView({ block: 'center' });
  }
}
if (form && calls.length > 0) {
  for (const name of ['agent', 'tool']) {
    for (const value of Array.from(new Set(calls.map((call) => call.dataset[name]))).sort()) {
      form[name].add(new Option(value, value));
    }
  }
  form.hidden = false;
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  filter();
}
addEventListener('hashchange', open);
open();
