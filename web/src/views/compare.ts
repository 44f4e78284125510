// Two or more runs side by side: numbers with their change against the first, drawings on shared axes, and what was
// different in the setups.

import * as Plot from '@observablehq/plot';
import type { Cell, Run } from '../data';
import { h, select } from '../dom';
import { plot, plotFigure } from '../figure';
import { csv, sortable } from '../sortable';
import { series } from '../theme';
import { axis, change, format, formatNamed } from '../units';
import { compareIterations } from './iteration';
import { completionCdf } from './links';
import { headline, label } from './summary';
import { compareTraining } from './training';

function sharedKeys(runs: Run[]): string[] {
  const keys = [...new Set(runs.flatMap((run) => run.numbers().map(([key]) => key)))];
  return keys.filter((key) => runs.filter((run) => run.number(key) !== undefined).length > 1);
}

function numbersTable(runs: Run[], host: HTMLElement): void {
  const keys = sharedKeys(runs);
  const differs = (key: string) => new Set(runs.map((run) => run.number(key))).size > 1;
  const rows: Cell[][] = keys.filter(differs).map((key) => [key, ...runs.map((run) => run.number(key) ?? null)]);
  const same = keys.filter((key) => !differs(key));
  const shown = (r: number) => (value: Cell, row: number) => {
    if (typeof value !== 'number') return '\u2013';
    const [key, first] = [String(rows[row]![0]), rows[row]![1]];
    const by = r > 0 && typeof first === 'number' ? change(first, value) : '';
    return h(
      'span',
      { 'data-key': key, 'data-run': r, 'data-value': value },
      formatNamed(key, value),
      by ? h('small', { class: 'change' }, ` ${by}`) : null,
    );
  };
  if (rows.length > 0)
    host.append(
      h('h3', {}, 'Numbers that differ'),
      sortable(
        [
          { name: 'what', show: (key) => label(String(key)) },
          ...runs.map((run, r) => ({ name: run.label, heading: run.label, show: shown(r) })),
        ],
        rows,
        `Changes are against ${runs[0]!.label}`,
      ),
    );
  if (same.length > 0)
    host.append(
      h(
        'p',
        { class: 'dim' },
        `The same in all: ${same.map((key) => `${label(key)} ${formatNamed(key, runs.find((run) => run.number(key) !== undefined)!.number(key)!)}`).join(', ')}.`,
      ),
    );
}

function bars(runs: Run[], host: HTMLElement): void {
  const keys = sharedKeys(runs);
  const order = [
    ...headline(runs[0]!).filter((k) => keys.includes(k)),
    ...keys.filter((k) => !headline(runs[0]!).includes(k)),
  ];
  if (order.length === 0) return;
  let key = order[0]!;
  const draw = (width: number): Element => {
    const rows = runs
      .map((run, i) => ({ run: run.label, value: run.number(key) ?? NaN, i }))
      .filter((r) => Number.isFinite(r.value));
    const {
      of,
      label: text,
      unit,
    } = axis(
      key,
      rows.map((r) => r.value),
    );
    return plot({
      width,
      height: 50 + 32 * rows.length,
      marginLeft: Math.min(width * 0.4, 20 + 7.2 * Math.max(...rows.map((r) => r.run.length))),
      marginRight: 150,
      x: { label: text, grid: true, zero: true },
      y: { label: null, domain: rows.map((r) => r.run) },
      marks: [
        Plot.barX(rows, {
          x: (r: { value: number }) => of(r.value),
          y: 'run',
          fill: (r: { i: number }) => series(r.i),
          insetTop: 3,
          insetBottom: 3,
        }),
        Plot.text(rows, {
          x: (r: { value: number }) => of(r.value),
          y: 'run',
          textAnchor: 'start',
          dx: 5,
          text: (r: { value: number; i: number }) =>
            `${format(r.value, unit)}${r.i > 0 ? `  (${change(rows[0]!.value, r.value)})` : ''}`,
        }),
      ],
    });
  };
  const frame = plotFigure(host, {
    title: 'One number of each run',
    draw,
    csv: () =>
      csv(
        ['run', key],
        runs.map((run) => [run.label, run.number(key) ?? null]),
      ),
  });
  frame.controls.append(
    select(
      'Show',
      order,
      key,
      (k) => {
        key = k;
        frame.redraw();
      },
      label,
    ),
  );
}

// "network: dimensions: - size: 4" by the keys above it: enough for the files that we write, where a line is a key.
function setupLines(yaml: string): Map<string, string> {
  const lines = new Map<string, string>();
  const path: { indent: number; key: string }[] = [];
  const counts = new Map<string, number>();
  for (const raw of yaml.split('\n')) {
    if (/^\s*(#|$)/.test(raw)) continue;
    const indent = raw.length - raw.trimStart().length;
    while (path.length > 0 && path[path.length - 1]!.indent >= indent) path.pop();
    let text = raw.trim();
    const above = path.map((p) => p.key).join('.');
    if (text.startsWith('- ')) {
      const n = counts.get(above) ?? 0;
      counts.set(above, n + 1);
      path.push({ indent, key: String(n) });
      text = text.slice(2);
    }
    const colon = /^([^:{}[\]]+):\s*(.*)$/.exec(text);
    const here = path.map((p) => p.key);
    const inside = /^\{(.*)\}$/.exec(colon ? colon[2]! : text);
    const under = colon ? [...here, colon[1]!] : here;
    if (inside && !/[{}[\]"']/.test(inside[1]!))
      for (const entry of inside[1]!.split(',')) {
        const [key, ...value] = entry.split(':');
        lines.set([...under, key!.trim()].join('.'), value.join(':').trim());
      }
    else if (!colon) lines.set(here.join('.') || text, text);
    else if (colon[2] === '') path.push({ indent: indent + (raw.trim().startsWith('- ') ? 1 : 0), key: colon[1]! });
    else lines.set([...here, colon[1]!].join('.'), colon[2]!);
  }
  return lines;
}

function setups(runs: Run[], host: HTMLElement): void {
  const all = runs.map((run) => setupLines(run.text('setup_yaml') ?? ''));
  const keys = [...new Set(all.flatMap((lines) => [...lines.keys()]))].filter(
    (key) => new Set(all.map((lines) => lines.get(key))).size > 1,
  );
  if (keys.length === 0) return;
  host.append(
    h('h3', {}, 'What was different in the setups'),
    sortable(
      [{ name: 'key' }, ...runs.map((run) => ({ name: run.label, heading: run.label }))],
      keys.map((key) => [key, ...all.map((lines) => lines.get(key) ?? '\u2013')]),
    ),
  );
}

export function compare(runs: Run[], host: HTMLElement): void {
  bars(runs, host);
  compareIterations(runs, host);
  completionCdf(runs.length > 1 && runs.filter((r) => r.table('fct_distribution.csv')).length > 1 ? runs : [], host);
  compareTraining(runs, host);
  numbersTable(runs, host);
  setups(runs, host);
}
