// Training as it went: loss and AUC, throughput, waits; and the embedding cache: hit rate, occupancy, bytes, and how
// the miss ratio depends on its size. Which column belongs where is told by its name.

import * as Plot from '@observablehq/plot';
import type { Run, Table } from '../data';
import { h } from '../dom';
import { type Line, logAxis, logTicks, plot, plotFigure, seriesFigure } from '../figure';
import { csv, sortable } from '../sortable';
import { SERIES } from '../theme';
import { digits, format, quantity, scale } from '../units';
import type { View } from './view';

const X = ['step', 'batch', 'iteration', 'epoch'];
const CACHE = /hit|miss|occup|prefetch|evict|cache|resident|fetch|stored|critical|delayed|lookup|window|synced|^rows$/i;
const QUALITY: [string, RegExp][] = [
  ['Loss', /loss|entropy/i],
  ['AUC', /auc/i],
  ['Accuracy', /accuracy/i],
];

export function metrics(run: Run): Table | undefined {
  return run.tables.find(
    (t) =>
      t.length > 1 &&
      (t.file === 'metrics.jsonl' || t.file === 'metrics.csv' || t.file === 'batches.csv') &&
      X.some((x) => t.has(x)),
  );
}

interface Group {
  title: string;
  columns: string[];
}

// Columns of one topic and one unit share a chart.
function groups(table: Table, wanted: (column: string) => boolean): Group[] {
  const x = X.find((name) => table.has(name))!;
  const result = new Map<string, Group>();
  for (const column of table.columns) {
    if (column === x || X.includes(column) || !table.isNumeric(column) || !wanted(column)) continue;
    if (/^(seconds|time|elapsed|wall)/.test(column) || /(^|_)(elapsed|wall)_/.test(column)) continue;
    if (column === 'samples') continue; // of a batch, always the same but for the last
    if (table.distinct(column).length < 2 && quantity(column).unit !== 'share') continue; // nothing to see
    const topic = QUALITY.find(([, pattern]) => pattern.test(column))?.[0];
    const { unit, label } = quantity(column);
    const title =
      topic ??
      (unit === 'share'
        ? 'Shares'
        : unit === 'samples/s'
          ? 'Throughput'
          : unit === 'B'
            ? 'Bytes'
            : ['s', 'ms', 'us', 'ns'].includes(unit)
              ? 'Time per step'
              : /resident/.test(column)
                ? 'Rows in the cache'
                : /(^|_)(rows|lookups)$/.test(column)
                  ? 'Rows per step'
                  : unit === ''
                    ? capital(label)
                    : unit);
    const key = `${title} ${unit}`;
    if (!result.has(key)) result.set(key, { title, columns: [] });
    result.get(key)!.columns.push(column);
  }
  // What is trained for comes first.
  const values = (column: string) => table.numbers(column).filter((v) => !Number.isNaN(v)).length;
  for (const [key, group] of result) if (group.columns.every((c) => values(c) < 2)) result.delete(key); // no curve
  const rank = (g: Group) => {
    const at = QUALITY.findIndex(([title]) => title === g.title);
    return at < 0 ? QUALITY.length : at;
  };
  return [...result.values()].sort((a, b) => rank(a) - rank(b));
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

// Runs share a chart when there are several: a colour each.
function chart(runs: Run[], group: Group, host: HTMLElement): void {
  const x = X.find((name) => metrics(runs[0]!)!.has(name))!;
  const steps = [...new Set(runs.flatMap((run) => metrics(run)!.numbers(x)))]
    .filter((s) => !Number.isNaN(s))
    .sort((a, b) => a - b);
  const place = new Map(steps.map((s, i) => [s, i]));
  const lines: Line[] = [];
  let largest = 0;
  for (const [r, run] of runs.entries()) {
    const table = metrics(run)!;
    for (const [c, column] of group.columns.entries()) {
      if (!table.has(column)) continue;
      const values: (number | null)[] = steps.map(() => null);
      const at = table.numbers(x);
      let count = 0;
      table.numbers(column).forEach((v, i) => {
        if (Number.isNaN(v)) return;
        values[place.get(at[i]!)!] = v;
        largest = Math.max(largest, Math.abs(v));
        count++;
      });
      const name = quantity(column).label;
      const index = runs.length > 1 ? r + runs.length * c : c;
      lines.push({
        name: runs.length > 1 ? `${run.label}${group.columns.length > 1 ? ': ' + name : ''}` : name,
        values,
        color: SERIES[index % SERIES.length],
        dashed: index >= SERIES.length,
        points: count < steps.length / 4,
      });
    }
  }
  const { per, name } = scale(quantity(group.columns[0]!).unit, largest);
  for (const line of lines) line.values = line.values.map((v) => (v === null ? null : v / per));
  seriesFigure(host, {
    title: group.title,
    x: steps,
    xLabel: x,
    yLabel: quantity(group.columns[0]!).unit ? name : `${group.title === 'AUC' ? 'AUC' : group.title.toLowerCase()}${name ? ` (${name})` : ''}`,
    lines: lines.flatMap((line) => smooth(line, steps.length).filter((l) => !l.faint || runs.length === 1)),
  });
}

// A noisy line becomes faint, with its running mean on top.
function smooth(line: Line, steps: number): Line[] {
  const reach = Math.floor(steps / 100);
  if (line.points || reach < 3) return [line];
  const values: (number | null)[] = [];
  let [sum, count] = [0, 0];
  const take = (i: number, sign: number) => {
    const value = line.values[i];
    if (value === null || value === undefined) return;
    sum += sign * value;
    count += sign;
  };
  for (let i = 0; i < reach; i++) take(i, 1);
  for (let i = 0; i < steps; i++) {
    take(i + reach, 1);
    take(i - reach - 1, -1);
    values.push(count > 0 ? sum / count : null);
  }
  const known = values.filter((v) => v !== null);
  const range = known.reduce((a, b) => Math.max(a, b), -Infinity) - known.reduce((a, b) => Math.min(a, b), Infinity);
  const noise =
    line.values.reduce((s: number, v, i) => s + (v === null ? 0 : Math.abs(v - (values[i] ?? v))), 0) / known.length;
  return noise < 0.01 * range
    ? [line]
    : [
        { ...line, faint: true },
        { ...line, name: `${line.name} (mean of ${2 * reach + 1})`, values },
      ];
}

const pair = (host: HTMLElement): HTMLElement => {
  const grid = h('div', { class: 'pair' });
  host.append(grid);
  return grid;
};

// Samples per second between one step and the next, where the file has both.
function throughput(run: Run, host: HTMLElement): void {
  const table = metrics(run)!;
  if (!table.has('samples', 'seconds') || table.cut || table.columns.some((c) => quantity(c).unit === 'samples/s'))
    return;
  const x = X.find((name) => table.has(name))!;
  const [samples, seconds] = [table.numbers('samples'), table.numbers('seconds')];
  // Over several steps: a loader that runs ahead makes single ones look instant. A resumed run starts its clock anew.
  const reach = Math.max(1, Math.floor(samples.length / 60));
  const rate = samples.map((_, i) => {
    const [first, last] = [Math.max(0, i - reach), Math.min(samples.length - 1, i + reach)];
    const took = seconds[last]! - seconds[first]!;
    return took > 0 ? samples.slice(first + 1, last + 1).reduce((a, b) => a + b, 0) / took : null;
  });
  const { per, name } = scale(
    'samples/s',
    rate.reduce((a: number, b) => Math.max(a, b ?? 0), 0),
  );
  seriesFigure(host, {
    title: 'Throughput',
    x: table.numbers(x),
    xLabel: x,
    yLabel: name,
    lines: [{ name: `mean of ${2 * reach} steps`, values: rate.map((r) => (r === null ? null : r / per)) }],
  });
}

// What held-out data say of the trained model.
function quality(run: Run, host: HTMLElement): void {
  const known = run.numbers().filter(([key]) => key.startsWith('held_out.'));
  if (known.length === 0) return;
  host.append(
    h('h3', {}, 'On held-out data'),
    sortable(
      [{ name: 'what' }, { name: 'value', show: (value) => digits(Number(value)) }],
      known.map(([key, value]) => [quantity(key.slice('held_out.'.length)).label, value]),
    ),
  );
}

// Model, tables and optimizers, as the summary names them.
function trained(run: Run): HTMLElement {
  const told = run.packed.summary?.['trained'];
  if (!told || typeof told !== 'object' || Array.isArray(told)) return h('div');
  return h(
    'dl',
    { class: 'facts' },
    ...Object.entries(told).flatMap(([key, text]) => [
      h('dt', {}, key.replaceAll('_', ' ')),
      h('dd', {}, String(text)),
    ]),
  );
}

export const training: View = {
  id: 'training',
  title: 'Training',
  shows: (run) => metrics(run) !== undefined && groups(metrics(run)!, (c) => !CACHE.test(c)).length > 0,
  draw: (run, host) => {
    host.append(trained(run));
    const grid = pair(host);
    groups(metrics(run)!, (c) => !CACHE.test(c)).forEach((group) => chart([run], group, grid));
    throughput(run, grid);
    quality(run, host);
  },
};

const missCurve = (run: Run) =>
  run.tables.find(
    (t) =>
      t.length > 1 &&
      t.columns.some((c) => /^miss_ratio|^miss_rate/.test(c)) &&
      t.columns.some((c) => /^(cache_(rows|bytes|size|share)|capacity)/.test(c)),
  );

export const cache: View = {
  id: 'cache',
  title: 'Embedding cache',
  shows: (run) =>
    (metrics(run) !== undefined && groups(metrics(run)!, (c) => CACHE.test(c)).length > 0) ||
    missCurve(run) !== undefined,
  draw: (run, host) => {
    const table = metrics(run);
    const grid = pair(host);
    if (table) groups(table, (c) => CACHE.test(c)).forEach((group) => chart([run], group, grid));
    const curve = missCurve(run);
    if (!curve) return;
    const x = curve.columns.find((c) => /^(cache_|capacity)/.test(c))!;
    const y = curve.columns.find((c) => /^miss_/.test(c))!;
    const rows = curve.numbers(x).map((size, i) => ({ size, miss: 100 * curve.numbers(y)[i]! }));
    const [room, hits] = [run.number('most_resident_rows') ?? 0, run.number('hit_rate')];
    const own = x === 'cache_rows' && hits !== undefined && room > 0 ? [{ size: room, miss: 100 * (1 - hits) }] : [];
    plotFigure(grid, {
      title: 'Miss ratio by size of the cache',
      caption: `The line is a cache that throws out what was used longest ago (LRU).${own.length > 0 ? ' The diamond is this run, which looks ahead.' : ''}`,
      draw: (width) =>
        plot({
          width,
          height: 280,
          x: { label: quantity(x).label, type: 'log' },
          y: { label: 'miss ratio (%)', grid: true, domain: [0, 100] },
          marks: [
            logAxis('x', logTicks(rows[0]!.size, rows[rows.length - 1]!.size), quantity(x).label, (v) => format(v, '')),
            Plot.line(rows, { x: 'size', y: 'miss', stroke: 'var(--c1)', strokeWidth: 2, tip: true }),
            Plot.dot(own, { x: 'size', y: 'miss', symbol: 'diamond', r: 7, fill: 'var(--c4)', tip: true }),
          ],
        }),
      csv: () =>
        csv(
          [x, y],
          rows.map((r) => [r.size, r.miss / 100]),
        ),
    });
  },
};

export function compareTraining(runs: Run[], host: HTMLElement): void {
  const able = runs.filter((run) => metrics(run));
  if (able.length < 2) return;
  const seen = new Map<string, Group>();
  for (const run of able)
    for (const group of groups(metrics(run)!, () => true)) {
      const known = seen.get(group.title);
      if (!known) seen.set(group.title, group);
      else known.columns = [...new Set([...known.columns, ...group.columns])];
    }
  const grid = pair(host);
  for (const group of seen.values()) chart(able, group, grid);
}
