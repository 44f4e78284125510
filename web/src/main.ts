// Opens the data, decides what there is to see, and draws it top to bottom, the first screen first.

import 'uplot/dist/uPlot.min.css';
import './style.css';
import { load, type Run } from './data';
import { h } from './dom';
import { setTheme } from './theme';
import { timeline } from './timeline/timeline';
import { compare } from './views/compare';
import { iteration } from './views/iteration';
import { completion, links } from './views/links';
import { quality } from './views/quality';
import { scaling, shapes } from './views/scaling';
import { study, studyCells, studyFigures } from './views/study';
import { cards, numbers, otherTables, remarks } from './views/summary';
import { sweep } from './views/sweep';
import { schedule, traffic } from './views/traffic';
import { cache, training } from './views/training';
import { validation } from './views/validation';
import type { View } from './views/view';

const trace: View = {
  id: 'timeline',
  title: 'Timeline',
  shows: (run) => run.packed.trace !== null,
  draw: (run, host) => timeline(host, run.packed.trace!),
};
const SHOWN = /^(layers|dimensions|links|links_over_time|fct|fct_distribution|sweep|metrics|validation|miss_ratio|traffic|schedule|scoreboard|roc|calibration)\.(csv|jsonl)$/;
const isShown = (run: Run, file: string) => SHOWN.test(file) || shapes(run).some((s) => s.table.file === file);
const tables: View = {
  id: 'tables',
  title: 'Tables',
  shows: (run) => run.tables.some((t) => t.length > 0 && !isShown(run, t.file)),
  draw: (run, host) => otherTables(run, (file) => isShown(run, file), host),
};
const VIEWS: View[] = [
  study,
  studyFigures,
  studyCells,
  iteration,
  trace,
  quality,
  training,
  cache,
  scaling,
  sweep,
  validation,
  completion,
  links,
  traffic,
  schedule,
  tables,
  numbers,
];

function section(id: string, title: string): HTMLElement {
  return h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title` }, title));
}

// A failed drawing says so and leaves the others alone.
function draw(host: HTMLElement, action: () => void): void {
  try {
    action();
  } catch (error) {
    console.error(error);
    host.append(h('p', { class: 'note' }, `This could not be drawn: ${String(error)}`));
  }
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

async function drawRun(run: Run, host: HTMLElement, nav: HTMLElement, current: () => boolean): Promise<void> {
  const views = VIEWS.filter((view) => view.shows(run));
  nav.append(...views.map((view) => h('a', { href: `#${view.id}` }, view.title)));
  for (const view of views) {
    if (!current()) return;
    const part = section(view.id, view.title);
    host.append(part);
    draw(part, () => view.draw(run, part));
    await pause();
  }
}

function themeButton(): HTMLElement {
  const order = ['auto', 'light', 'dark'] as const;
  let at = 0;
  const button = h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      title: 'Light, dark, or as the system has it',
      onclick: () => {
        at = (at + 1) % order.length;
        setTheme(order[at]!);
        button.textContent = `Theme: ${order[at]}`;
      },
    },
    'Theme: auto',
  );
  return button;
}

function facts(run: Run): string {
  const parts = [run.text('kind'), run.text('overture'), run.text('model'), run.text('optimizer')];
  const digest = run.text('digest');
  if (digest) parts.push(`digest ${digest}`);
  const seed = run.number('seed');
  if (seed !== undefined) parts.push(`seed ${seed}`);
  return parts.filter(Boolean).join(' \u00b7 ');
}

async function show(runs: Run[], app: HTMLElement): Promise<void> {
  const several = runs.length > 1;
  const first = runs[0]!;
  const title = several ? `${runs.length} runs compared` : first.title;
  document.title = `${title} \u2013 Overture`;
  const nav = h('nav', { 'aria-label': 'Sections' });
  app.append(
    h(
      'header',
      {},
      h('div', { class: 'head' }, h('h1', {}, title), themeButton()),
      h('p', { class: 'dim' }, several ? runs.map((run) => run.label).join(', ') : facts(first)),
    ),
    nav,
  );
  if (several) {
    const part = section('compare', 'Comparison');
    app.append(part);
    nav.append(h('a', { href: '#compare' }, 'Comparison'));
    draw(part, () => compare(runs, part));
    await pause();
  }
  const body = h('div');
  const runNav = h('span');
  let chosen = first;
  const open = async (run: Run) => {
    chosen = run;
    body.replaceChildren(
      ...(several ? [h('p', { class: 'dim' }, [run.title, facts(run)].filter(Boolean).join(' \u00b7 '))] : []),
      cards(run),
      remarks(run),
    );
    runNav.replaceChildren();
    await drawRun(run, body, runNav, () => chosen === run);
  };
  if (several) {
    const tabs = runs.map((run) =>
      h(
        'button',
        {
          type: 'button',
          class: 'tab',
          'aria-pressed': String(run === first),
          onclick: () => {
            tabs.forEach((tab, i) => tab.setAttribute('aria-pressed', String(runs[i] === run)));
            void open(run);
          },
        },
        run.label,
      ),
    );
    app.append(h('div', { class: 'tabs', role: 'group', 'aria-label': 'One run at a time' }, 'One run: ', ...tabs));
  }
  nav.append(runNav);
  app.append(body);
  await open(first);
  document.documentElement.dataset['ready'] = 'yes'; // for tests and printers
}

// Paper cannot unfold: the numbers and the setup are printed open.
addEventListener('beforeprint', () =>
  document.querySelectorAll<HTMLDetailsElement>('#numbers details').forEach((d) => (d.open = true)),
);

async function start(): Promise<void> {
  const app = document.getElementById('app')!;
  const data = document.getElementById('data')!.textContent ?? '';
  try {
    await show(await load(data), app);
  } catch (error) {
    console.error(error);
    app.append(h('p', { class: 'note' }, String(error instanceof Error ? error.message : error)));
  }
}

void start();
