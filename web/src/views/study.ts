// A published study: what was claimed and what we find, claim by claim; the figures as the program drew them, with the
// published points; every cell with the setup that made it. All of it is study.json, the same for every study.

import '../study.css';
import type { Cell, PackedFigure, PackedStudy, PackedStudyCell, Run } from '../data';
import { copy, download, h } from '../dom';
import { csvTool, figure, tool } from '../figure';
import { csv, sortable, type Column } from '../sortable';
import type { View } from './view';

const studyOf = (run: Run): PackedStudy | null => run.packed.study ?? null;

// The colours that the program draws with, and the page's own for the same thing: a chart follows the theme.
const COLOURS: [string, string][] = [
  ['#0072b2', 'var(--c1)'],
  ['#d55e00', 'var(--c4)'],
  ['#009e73', 'var(--c3)'],
  ['#cc79a7', 'var(--c6)'],
  ['#e69f00', 'var(--c2)'],
  ['#56b4e9', 'var(--c5)'],
  ['#333333', 'var(--c8)'],
  ['"white"', '"var(--ground)"'],
  ['"black"', '"var(--ink)"'],
  ['"#ddd"', '"var(--rule)"'],
  ['"#888"', '"var(--dim)"'],
];

function themed(svg: string): string {
  return COLOURS.reduce((text, [from, to]) => text.replaceAll(from, to), svg);
}

function drawing(of: PackedFigure): Element {
  const parsed = new DOMParser().parseFromString(themed(of.svg), 'image/svg+xml');
  const svg = document.importNode(parsed.documentElement, true);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', of.title || of.file);
  return svg;
}

// A chart as wide as the page is shrunk to it; one that has more to show scrolls in its frame.
function studyFigure(of: PackedFigure, host: HTMLElement): void {
  const frame = figure(of.title || of.file, of.caption);
  frame.body.classList.add('study-figure');
  frame.body.tabIndex = 0;
  frame.body.append(drawing(of));
  tool(frame, 'Save SVG', () => download(of.file, new Blob([of.svg], { type: 'image/svg+xml' })));
  csvTool(frame, () => figureNumbers(frame.body));
  host.append(frame.root);
}

// What the marks say when the pointer rests on them: "conv1, compute: 26".
function figureNumbers(body: HTMLElement): string {
  const rows: Cell[][] = [...body.querySelectorAll('svg g[aria-label] title')]
    .map((title) => title.textContent ?? '')
    .filter((text) => text.includes(': '))
    .map((text) => [text.slice(0, text.lastIndexOf(': ')), text.slice(text.lastIndexOf(': ') + 2)]);
  return csv(['what', 'value'], rows);
}

function scoreboard(study: PackedStudy, host: HTMLElement): void {
  if (study.claims.length === 0) return;
  const columns: Column[] = [
    {
      name: 'verdict',
      show: (verdict) => h('span', { class: `verdict ${String(verdict).replace(' ', '-')}` }, String(verdict)),
    },
    ...(study.claims.some((c) => c.id !== '') ? [{ name: 'id', heading: 'id' }] : []),
    { name: 'claim', show: (text) => h('span', { class: 'sentence' }, String(text)) },
    { name: 'published' },
    { name: 'ours' },
    { name: 'why', heading: 'why', show: (text) => h('span', { class: 'sentence' }, String(text)) },
  ];
  const withIds = columns.some((c) => c.name === 'id');
  host.append(
    h('h3', {}, 'Claim by claim'),
    h('p', { class: 'dim' }, study.score),
    h(
      'div',
      { class: 'whole' },
      sortable(
        columns,
        study.claims.map((c) => [c.verdict, ...(withIds ? [c.id] : []), c.text, c.published, c.ours, c.why]),
      ),
    ),
  );
}

function terms(study: PackedStudy, host: HTMLElement): void {
  if (study.terms.length === 0) return;
  host.append(h('dl', { class: 'terms' }, ...study.terms.flatMap((t) => [h('dt', {}, t.term), h('dd', {}, t.meaning)])));
}

export const study: View = {
  id: 'study',
  title: 'The study',
  shows: (run) => studyOf(run) !== null,
  draw: (run, host) => {
    const of = studyOf(run)!;
    host.append(
      h('p', { class: 'headline' }, of.headline),
      h('p', {}, h('strong', {}, 'The claim: '), of.claim),
      h('p', { class: 'dim' }, of.source),
    );
    terms(of, host);
    scoreboard(of, host);
  },
};

export const studyFigures: View = {
  id: 'figures',
  title: 'Figures',
  shows: (run) => (studyOf(run)?.figures.length ?? 0) > 0,
  draw: (run, host) => studyOf(run)!.figures.forEach((f) => studyFigure(f, host)),
};

function copyButton(label: string, text: string): HTMLElement | string {
  if (text === '') return '';
  const button: HTMLElement = h(
    'button',
    { type: 'button', class: 'quiet', title: text, onclick: () => void copy(text, button) },
    label,
  );
  return button;
}

function cellTable(cells: PackedStudyCell[], run: Run): HTMLElement {
  const keys = [...new Set(cells.flatMap((c) => Object.keys(c.numbers)))];
  const has = (key: 'setup' | 'command') => cells.some((c) => c[key] !== '');
  const columns: Column[] = [
    {
      name: 'cell',
      show: (name, row) =>
        run.alone && cells[row]!.link !== '' ? h('a', { href: encodeURI(cells[row]!.link) }, String(name)) : String(name),
    },
    ...keys.map((name) => ({ name })),
    ...(has('setup') ? [{ name: 'setup', show: (text: Cell) => copyButton('Copy setup', String(text ?? '')) }] : []),
    ...(has('command')
      ? [{ name: 'command', show: (text: Cell) => copyButton('Copy command', String(text ?? '')) }]
      : []),
  ];
  const rows = cells.map((c): Cell[] => [
    c.name,
    ...keys.map((key) => c.numbers[key] ?? null),
    ...(has('setup') ? [c.setup] : []),
    ...(has('command') ? [c.command] : []),
  ]);
  return sortable(columns, rows, 'Cells');
}

export const studyCells: View = {
  id: 'cells',
  title: 'Cells',
  shows: (run) => (studyOf(run)?.cells.length ?? 0) > 0,
  draw: (run, host) => {
    host.append(
      h('p', { class: 'dim' }, 'Each cell is one run. Its name opens what the run left; its setup can be copied and run again.'),
      cellTable(studyOf(run)!.cells, run),
    );
  },
};
