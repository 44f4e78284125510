// The page that people keep open: all runs of a folder, newest first, with what came out of them. It asks the server
// again every few seconds, so that what is under way moves. Everything that it shows comes from runs.json.

import '../style.css';
import './runs.css';
import { h } from '../dom';
import { liveView } from './live';
import { matches, sorted, type Order, type Run } from './select';

const kRefresh = 3000; // ms

const state = {
  runs: [] as Run[],
  search: '',
  kind: '',
  tag: '',
  parts: false, // points of sweeps and cells of studies, too
  order: { by: 'time', down: true } as Order,
  chosen: new Set<string>(),
  live: '' as string, // path of the run that is watched
  error: '',
};

const app = document.getElementById('app')!;
const list = h('div', { class: 'runs' });
const bar = h('p', { class: 'runs-bar', 'aria-live': 'polite' });
const live = h('section', { class: 'live' });

const folder = (run: Run) =>
  run.path === '.' ? '/' : `/${run.path.split('/').map(encodeURIComponent).join('/')}/`;

function control(label: string, element: HTMLElement): HTMLElement {
  return h('label', { class: 'control' }, label, ' ', element);
}

function choices(element: HTMLSelectElement, values: string[], all: string, chosen: string): void {
  const known = [...element.options].map((option) => option.value).join('\n');
  if (element.options.length > 0 && known === ['', ...values].join('\n')) return;
  element.replaceChildren(
    h('option', { value: '' }, all),
    ...values.map((value) => h('option', { value, selected: value === chosen }, value)),
  );
}

const search = h('input', {
  type: 'search',
  placeholder: 'name, path, why, tag',
  'aria-label': 'Search runs',
  oninput: () => {
    state.search = search.value;
    draw();
  },
});
const kind = h('select', {
  'aria-label': 'Command',
  onchange: () => {
    state.kind = kind.value;
    draw();
  },
});
const tag = h('select', {
  'aria-label': 'Tag',
  onchange: () => {
    state.tag = tag.value;
    draw();
  },
});

const parts = h('input', {
  type: 'checkbox',
  onchange: () => {
    state.parts = parts.checked;
    draw();
  },
});
const partsControl = h('label', { class: 'control', hidden: true }, parts, ' points of sweeps, cells of studies');

function heading(by: Order['by'], text: string): HTMLElement {
  const here = state.order.by === by;
  return h(
    'th',
    { 'aria-sort': here ? (state.order.down ? 'descending' : 'ascending') : 'none' },
    h(
      'button',
      {
        class: 'quiet',
        type: 'button',
        onclick: () => {
          state.order = { by, down: here ? !state.order.down : by === 'time' };
          draw();
        },
      },
      text,
    ),
  );
}

function choose(run: Run, on: boolean): void {
  if (on) state.chosen.add(run.path);
  else state.chosen.delete(run.path);
  drawBar();
}

function tags(run: Run): HTMLElement {
  return h('span', {}, ...run.tags.map((word) => h('span', { class: 'tag' }, word)));
}

// Its name, or else that of its folder.
const called = (run: Run) => run.name || run.path.slice(run.path.lastIndexOf('/') + 1);

function title(run: Run): HTMLElement {
  const text = called(run);
  const link = run.report
    ? h('a', { href: `${folder(run)}report.html` }, text)
    : h('a', { href: folder(run) }, text);
  return h('div', {}, link, ' ', tags(run), h('div', { class: 'dim path' }, run.path));
}

function result(run: Run): HTMLElement {
  if (run.state === 'running')
    return h(
      'div',
      {},
      h('span', { class: 'state running' }, 'running'),
      ' ',
      run.progress,
      ' ',
      h(
        'button',
        {
          class: 'quiet',
          type: 'button',
          onclick: () => {
            state.live = run.path;
            drawLive();
          },
        },
        'Watch',
      ),
    );
  return h(
    'div',
    {},
    run.headline,
    run.state === 'interrupted' ? h('span', { class: 'state interrupted' }, 'interrupted') : null,
  );
}

function row(run: Run): HTMLElement {
  const box = h('input', {
    type: 'checkbox',
    'aria-label': `Select ${called(run)}`,
    checked: state.chosen.has(run.path),
    onchange: () => choose(run, box.checked),
  });
  return h(
    'tr',
    { 'data-path': run.path },
    h('td', { class: 'pick' }, box),
    h('td', { class: 'run' }, title(run)),
    h('td', { class: 'kind' }, run.kind),
    h('td', { class: 'result' }, result(run)),
    h('td', { class: 'when' }, run.when.slice(0, 16)),
    h('td', { class: 'why-cell dim' }, run.why),
  );
}

// What can be done with the runs that are selected.
function drawBar(): void {
  const chosen = [...state.chosen];
  const query = chosen.map((path) => `run=${encodeURIComponent(path)}`).join('&');
  const shown = state.runs.filter((run) => matches(run, state)).length;
  const all = state.runs.filter((run) => state.parts || !run.part).length;
  partsControl.hidden = !state.runs.some((run) => run.part);
  bar.replaceChildren(
    `${shown} of ${all} runs`,
    state.error ? h('span', { class: 'state interrupted' }, state.error) : '',
    ' \u00b7 ',
    chosen.length >= 2
      ? h('a', { href: `/compare?${query}`, class: 'compare' }, `Compare ${chosen.length} runs`)
      : h('span', { class: 'dim' }, 'select two or more to compare them'),
  );
}

function draw(): void {
  choices(kind, [...new Set(state.runs.map((run) => run.kind).filter(Boolean))].sort(), 'every command', state.kind);
  choices(tag, [...new Set(state.runs.flatMap((run) => run.tags))].sort(), 'every tag', state.tag);
  const shown = sorted(
    state.runs.filter((run) => matches(run, state)),
    state.order,
  );
  const head = h(
    'tr',
    {},
    h('th', { class: 'pick' }, ''),
    heading('name', 'Run'),
    heading('kind', 'Command'),
    heading('headline', 'Result'),
    heading('time', 'When'),
    h('th', {}, 'Why'),
  );
  list.replaceChildren(
    shown.length > 0
      ? h('table', {}, h('thead', {}, head), h('tbody', {}, ...shown.map(row)))
      : h('p', { class: 'dim' }, state.runs.length > 0 ? 'No run matches.' : 'There are no runs here yet.'),
  );
  drawBar();
}

function drawLive(): void {
  const run = state.runs.find((one) => one.path === state.live);
  if (!run) return live.replaceChildren();
  void liveView(live, run, folder(run), () => {
    state.live = '';
    live.replaceChildren();
  });
}

async function refresh(): Promise<void> {
  try {
    const answer = await fetch('/runs.json');
    const text = await answer.text();
    state.error = '';
    const runs = JSON.parse(text) as Run[];
    if (JSON.stringify(runs) !== JSON.stringify(state.runs)) {
      state.runs = runs;
      draw();
    }
    if (state.live) drawLive();
  } catch {
    state.error = 'the server does not answer';
    drawBar();
  }
  document.documentElement.dataset['ready'] = '1';
}

app.append(
  h('header', {}, h('div', { class: 'head' }, h('h1', {}, 'Runs'), h('a', { href: '/?files' }, 'Files'))),
  h(
    'div',
    { class: 'controls' },
    control('Search', search),
    control('Command', kind),
    control('Tag', tag),
    partsControl,
  ),
  bar,
  live,
  list,
);
draw();
void refresh();
setInterval(() => void refresh(), kRefresh);
