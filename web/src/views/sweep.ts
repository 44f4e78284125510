// A sweep: which points are worth their price (Pareto), which key matters most (tornado), and one key at a time.

import * as Plot from '@observablehq/plot';
import type { Cell, Run, Table } from '../data';
import { h, select } from '../dom';
import { logAxis, logTicks, plot, plotFigure } from '../figure';
import { csv, sortable } from '../sortable';
import { axis, digits, format, formatNamed, quantity } from '../units';
import type { View } from './view';

interface Sweep {
  table: Table;
  axes: string[];
  results: string[];
  metric: string;
}

// What fits of a key: its end, which tells more than its beginning.
const ending = (key: string, most: number) => (key.length > most ? `\u2026${key.slice(key.length - Math.floor(most) + 1)}` : key);

function sweepOf(run: Run): Sweep | undefined {
  const table = run.table('sweep.csv') ?? run.table('pareto.csv');
  if (!table) return undefined;
  const listed = run.packed.summary?.['axes'];
  const named = Array.isArray(listed)
    ? listed.map((a) =>
        typeof a === 'string' ? a : a && typeof a === 'object' && !Array.isArray(a) ? String(a['key'] ?? '') : '',
      )
    : [];
  const axes =
    named.filter((a) => table.has(a)).length > 0
      ? named.filter((a) => table.has(a))
      : table.columns.filter(
          (c) =>
            !table.isNumeric(c) ||
            (quantity(c).unit === '' && (c.includes('.') || table.distinct(c).length < table.length / 2)),
        );
  const results = table.columns.filter((c) => !axes.includes(c) && table.isNumeric(c) && table.distinct(c).length > 1);
  const metric = run.text('metric');
  const chosen =
    metric && results.includes(metric)
      ? metric
      : (results.find((r) => /iteration|makespan|time|_us$|_s$/.test(r)) ?? results[0]);
  return chosen === undefined ? undefined : { table, axes, results, metric: chosen };
}

const moreIsBetter = (name: string) =>
  /per_s|throughput|efficien|hit|auc|accuracy|speedup|busbw|algbw|goodput|fairness/.test(name);

// Not beaten in both by any other.
function frontier(points: { x: number; y: number }[], upX: boolean, upY: boolean): Set<number> {
  const sign = (value: number, up: boolean) => (up ? -value : value);
  const order = points
    .map((_, i) => i)
    .sort(
      (a, b) => sign(points[a]!.x, upX) - sign(points[b]!.x, upX) || sign(points[a]!.y, upY) - sign(points[b]!.y, upY),
    );
  const best = new Set<number>();
  let least = Infinity;
  for (const i of order) {
    if (sign(points[i]!.y, upY) >= least) continue;
    least = sign(points[i]!.y, upY);
    best.add(i);
  }
  return best;
}

function pareto(s: Sweep, host: HTMLElement): void {
  if (s.results.length < 2) return;
  let y = s.metric;
  let x = s.results.find((r) => r !== y && /dollar|cost|price|watt|power/.test(r)) ?? s.results.find((r) => r !== y)!;
  const describe = (row: number) => s.axes.map((a) => `${a} ${s.table.texts(a)[row]}`).join('\n');
  const draw = (width: number): Element => {
    const [xs, ys] = [s.table.numbers(x), s.table.numbers(y)];
    const [ax, ay] = [axis(x, xs), axis(y, ys)];
    const points = xs
      .map((v, i) => ({ x: ax.of(v), y: ay.of(ys[i]!), row: i }))
      .filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
    const best = frontier(points, moreIsBetter(x), moreIsBetter(y));
    const front = points.filter((_, i) => best.has(i)).sort((a, b) => a.x - b.x || b.y - a.y);
    return plot({
      width,
      height: 340,
      marginLeft: 56,
      x: { label: ax.label, grid: true, nice: true },
      y: { label: ay.label, grid: true, nice: true },
      marks: [
        Plot.line(front, {
          x: 'x',
          y: 'y',
          stroke: 'var(--c4)',
          strokeWidth: 2,
          curve: moreIsBetter(y) ? 'step-before' : 'step-after',
        }),
        Plot.dot(points, { x: 'x', y: 'y', r: 3.5, stroke: 'var(--c1)', strokeOpacity: 0.8 }),
        Plot.dot(front, { x: 'x', y: 'y', r: 5, fill: 'var(--c4)', symbol: 'diamond' }),
        Plot.tip(
          points,
          Plot.pointer({
            x: 'x',
            y: 'y',
            title: (p: { x: number; y: number; row: number }) =>
              `${describe(p.row)}\n${quantity(y).label} ${format(s.table.numbers(y)[p.row]!, ay.unit)}\n${quantity(x).label} ${format(s.table.numbers(x)[p.row]!, ax.unit)}`,
          }),
        ),
      ],
    });
  };
  const frame = plotFigure(host, {
    title: 'What is worth its price',
    caption: 'Diamonds on the line are not beaten in both by any other point (the Pareto front).',
    draw,
    csv: () =>
      csv(
        s.table.columns,
        Array.from({ length: s.table.length }, (_, r) => s.table.columns.map((c) => s.table.cell(c, r))),
      ),
  });
  const label = (name: string) => quantity(name).label;
  frame.controls.append(
    select(
      'Horizontal axis',
      s.results,
      x,
      (v) => {
        x = v;
        frame.redraw();
      },
      label,
    ),
    select(
      'Vertical axis',
      s.results,
      y,
      (v) => {
        y = v;
        frame.redraw();
      },
      label,
    ),
  );
}

interface Effect {
  key: string;
  low: number;
  high: number;
  at: [string, string];
}

// The mean of the metric at each value of an axis, over all values of the others: its lowest and highest.
function effects(s: Sweep, metric: string): Effect[] {
  const values = s.table.numbers(metric);
  return s.axes
    .flatMap((key) => {
      const texts = s.table.texts(key);
      const means = [...new Set(texts)]
        .map((value) => {
          const of = values.filter((v, i) => texts[i] === value && Number.isFinite(v));
          return { value, mean: of.reduce((a, b) => a + b, 0) / of.length };
        })
        .filter((m) => Number.isFinite(m.mean))
        .sort((a, b) => a.mean - b.mean);
      if (means.length < 2) return [];
      const [low, high] = [means[0]!, means[means.length - 1]!];
      return [{ key, low: low.mean, high: high.mean, at: [low.value, high.value] as [string, string] }];
    })
    .sort((a, b) => b.high - b.low - (a.high - a.low));
}

function tornado(s: Sweep, host: HTMLElement): void {
  let metric = s.metric;
  if (effects(s, metric).length === 0) return;
  const draw = (width: number): Element => {
    const rows = effects(s, metric).slice(0, 20);
    const all = s.table.numbers(metric).filter(Number.isFinite);
    const mean = all.reduce((a, b) => a + b, 0) / all.length;
    const { of, label } = axis(
      metric,
      rows.flatMap((r) => [r.low, r.high]),
    );
    const left = Math.min(width * 0.4, 24 + 7.2 * Math.max(...rows.map((r) => r.key.length)));
    return plot({
      width,
      height: 60 + rows.length * 34,
      marginLeft: left,
      marginRight: 40,
      x: { label: `mean ${label}`, grid: true, inset: 64 },
      y: { label: null, domain: rows.map((r) => r.key), tickFormat: (key: string) => ending(key, (left - 24) / 7.2) },
      marks: [
        Plot.barX(rows, {
          x1: (r: Effect) => of(r.low),
          x2: () => of(mean),
          y: 'key',
          fill: 'var(--c1)',
          insetTop: 5,
          insetBottom: 5,
        }),
        Plot.barX(rows, {
          x1: () => of(mean),
          x2: (r: Effect) => of(r.high),
          y: 'key',
          fill: 'var(--c2)',
          insetTop: 5,
          insetBottom: 5,
        }),
        Plot.text(rows, {
          x: (r: Effect) => of(r.low),
          y: 'key',
          text: (r: Effect) => r.at[0],
          textAnchor: 'end',
          dx: -4,
        }),
        Plot.text(rows, {
          x: (r: Effect) => of(r.high),
          y: 'key',
          text: (r: Effect) => r.at[1],
          textAnchor: 'start',
          dx: 4,
        }),
        Plot.ruleX([of(mean)]),
      ],
    });
  };
  const frame = plotFigure(host, {
    title: 'What matters most',
    caption:
      'The mean over all other keys at the best and the worst value of each key; the line is the mean of all points.',
    draw,
    csv: () =>
      csv(
        ['key', 'low', 'high', 'value_at_low', 'value_at_high'],
        effects(s, metric).map((e) => [e.key, e.low, e.high, ...e.at]),
      ),
  });
  frame.controls.append(
    select(
      'Of',
      s.results,
      metric,
      (v) => {
        metric = v;
        frame.redraw();
      },
      (name) => quantity(name).label,
    ),
  );
}

// One key along the axis, the others as lines.
function curves(s: Sweep, host: HTMLElement): void {
  if (s.axes.length === 0 || s.table.length > 2000) return;
  let [key, metric] = [s.axes[0]!, s.metric];
  let scale = 'linear';
  const draw = (width: number): Element => {
    const texts = s.table.texts(key);
    const values = s.table.numbers(metric);
    const { of, label } = axis(metric, values);
    const others = s.axes.filter((a) => a !== key);
    const rows = texts
      .map((value, i) => ({
        value,
        y: of(values[i]!),
        line: others.map((a) => `${a.split('.').pop()} ${s.table.texts(a)[i]}`).join(', '),
      }))
      .filter((r) => Number.isFinite(r.y));
    const lines = [...new Set(rows.map((r) => r.line))];
    const few = lines.length <= 8;
    const log = scale === 'logarithmic' && rows.every((r) => r.y > 0);
    const [least, most] = [Math.min(...rows.map((r) => r.y)), Math.max(...rows.map((r) => r.y))];
    return plot({
      width,
      height: 300,
      marginLeft: 56,
      x: { type: 'point', label: key, domain: [...new Set(texts)] },
      y:
        log
          ? { type: 'log' }
          : { label, grid: true, nice: true, zero: true },
      color: few
        ? { legend: lines.length > 1, domain: lines, range: lines.map((_, i) => `var(--c${i + 1})`) }
        : { type: 'categorical', domain: lines, range: lines.map(() => 'var(--c1)') },
      marks: [
        log ? logAxis('y', logTicks(least, most), label, digits) : null,
        Plot.line(rows, {
          x: 'value',
          y: 'y',
          z: 'line',
          stroke: 'line',
          strokeWidth: 1.75,
          strokeOpacity: few ? 1 : 0.4,
          marker: 'dot',
        }),
        Plot.tip(
          rows,
          Plot.pointer({
            x: 'value',
            y: 'y',
            title: (r: { value: string; y: number; line: string }) =>
              `${key} ${r.value}\n${r.line}\n${digits(r.y)} ${label}`,
          }),
        ),
      ],
    });
  };
  const frame = plotFigure(host, { title: 'One key at a time', draw });
  frame.controls.append(
    select('Scale', ['linear', 'logarithmic'], scale, (v) => {
      scale = v;
      frame.redraw();
    }),
  );
  if (s.axes.length > 1)
    frame.controls.append(
      select('Along', s.axes, key, (v) => {
        key = v;
        frame.redraw();
      }),
    );
  if (s.results.length > 1)
    frame.controls.append(
      select(
        'Show',
        s.results,
        metric,
        (v) => {
          metric = v;
          frame.redraw();
        },
        (name) => quantity(name).label,
      ),
    );
}

// A line per point through all its keys and its result; the best are drawn last, in colour.
function parallel(s: Sweep, host: HTMLElement): void {
  const kMost = 500;
  if (s.axes.length < 2 || s.table.length > kMost) return;
  const values = s.table.numbers(s.metric);
  const known = values.filter(Number.isFinite);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (!(high > low)) return;
  const columns = [...s.axes, s.metric];
  const [marginLeft, marginRight] = [40, 70];
  // As much of a name as fits between two axes.
  const heading = (i: number, width: number) =>
    ending(
      i === s.axes.length ? quantity(s.metric).label : columns[i]!,
      Math.floor((width - marginLeft - marginRight) / columns.length / 6.5) - 1,
    );
  const place = (column: string, row: number): number => {
    if (column === s.metric) return (values[row]! - low) / (high - low);
    const words = s.table.distinct(column).map(String);
    return words.length < 2 ? 0.5 : words.indexOf(s.table.texts(column)[row]!) / (words.length - 1);
  };
  const up = moreIsBetter(s.metric);
  const order = values
    .map((_, i) => i)
    .filter((i) => Number.isFinite(values[i]!))
    .sort((a, b) => (up ? 1 : -1) * (values[a]! - values[b]!));
  const good = new Set(order.slice(-Math.max(1, Math.ceil(order.length / 10))));
  const lines = order.flatMap((row) =>
    columns.map((column, x) => ({
      x,
      y: place(column, row),
      row,
      good: good.has(row),
      tip: columns.map((c) => `${c}: ${c === s.metric ? formatNamed(c, values[row]!) : s.table.texts(c)[row]}`).join('\n'),
    })),
  );
  const marks = s.axes.flatMap((column, x) => {
    const words = s.table.distinct(column).map(String);
    return words.length > 12
      ? []
      : words.map((word, i) => ({ x, y: words.length < 2 ? 0.5 : i / (words.length - 1), word }));
  });
  const ends = [
    { x: s.axes.length, y: 0, word: formatNamed(s.metric, low) },
    { x: s.axes.length, y: 1, word: formatNamed(s.metric, high) },
  ];
  plotFigure(host, {
    title: 'All keys at once',
    caption: 'Each line is a point of the sweep; the best tenth is coloured.',
    draw: (width) =>
      plot({
        width,
        height: 320,
        marginLeft,
        marginRight,
        x: {
          type: 'point',
          axis: 'top',
          label: null,
          domain: columns.map((_, x) => x),
          tickFormat: (x: number) => heading(x, width),
          tickSize: 0,
        },
        y: { axis: null, inset: 12 },
        marks: [
          Plot.ruleX(columns.map((_, x) => x), { stroke: 'var(--rule)' }),
          Plot.line(lines.filter((l) => !l.good), { x: 'x', y: 'y', z: 'row', stroke: 'var(--dim)', strokeOpacity: 0.35 }),
          Plot.line(lines.filter((l) => l.good), { x: 'x', y: 'y', z: 'row', stroke: 'var(--c4)', strokeWidth: 2 }),
          Plot.text([...marks, ...ends], {
            x: 'x',
            y: 'y',
            text: 'word',
            dx: 6,
            textAnchor: 'start',
            fill: 'var(--ink)',
            stroke: 'var(--ground)',
            strokeWidth: 5,
          }),
          Plot.tip(lines, Plot.pointer({ x: 'x', y: 'y', title: 'tip' })),
        ],
      }),
  });
}

// The page of a point, beside that of the sweep.
const FOLDER = 'folder';
const pointLink = (folder: Cell): HTMLElement =>
  h('a', { href: encodeURI(`${String(folder)}/report.html`) }, String(folder));

function best(s: Sweep, run: Run): HTMLElement {
  const values = s.table.numbers(s.metric);
  const up = moreIsBetter(s.metric);
  const order = values
    .map((_, i) => i)
    .filter((i) => Number.isFinite(values[i]!))
    .sort((a, b) => (up ? -1 : 1) * (values[a]! - values[b]!));
  const say = (row: number) =>
    `${formatNamed(s.metric, values[row]!)} with ${s.axes.map((a) => `${a} ${s.table.texts(a)[row]}`).join(', ')}`;
  return h(
    'p',
    { class: 'why' },
    h('strong', {}, `Best ${quantity(s.metric).label}: `),
    `${say(order[0]!)}. `,
    run.alone && s.table.has(FOLDER) ? h('a', { href: encodeURI(`${s.table.texts(FOLDER)[order[0]!]}/report.html`) }, 'Its report') : '',
    ' ',
    h('span', { class: 'dim' }, `Worst: ${say(order[order.length - 1]!)}.`),
  );
}

export const sweep: View = {
  id: 'sweep',
  title: 'Sweep',
  shows: (run) => sweepOf(run) !== undefined,
  draw: (run, host) => {
    const s = sweepOf(run)!;
    host.append(best(s, run));
    tornado(s, host);
    pareto(s, host);
    curves(s, host);
    parallel(s, host);
    const rows = Array.from({ length: s.table.length }, (_, r) => s.table.columns.map((c) => s.table.cell(c, r)));
    host.append(
      h(
        'details',
        {},
        h('summary', {}, `All ${s.table.length} points as a table`),
        sortable(
          s.table.columns.map((name) => ({
            name,
            heading: s.axes.includes(name) ? name : undefined,
            show: name === FOLDER && run.alone ? pointLink : undefined,
          })),
          rows,
        ),
      ),
    );
  },
};
