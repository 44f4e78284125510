// How it scales: time against nodes (or another size), a line per network and algorithm, published points as hollow
// marks beside our own; and how far each of our numbers is from the published one.

import * as Plot from '@observablehq/plot';
import type { Cell, Run, Table } from '../data';
import { h, select } from '../dom';
import { logAxis, logTicks, plot, plotFigure } from '../figure';
import { csv, sortable, type Column } from '../sortable';
import { series } from '../theme';
import { digits, format, quantity } from '../units';
import type { View } from './view';

const SIZES = ['nodes', 'npus', 'hosts', 'ranks', 'trainers', 'size_bytes'];
const TELLS_APART = /network|topology|fabric|all.?reduce|strateg|algorithm|collective|backend|transport|schedule/i;
const NO_FILES =
  /^(fct|links|layers|dimensions|fct_distribution|links_over_time|sweep|traffic|schedule|batches|decisions|evictions)\.csv$|\.jsonl$/;
const PUBLISHED = /published|reference|paper/;

interface Shape {
  table: Table;
  x: string;
  measures: string[];
  series: string[]; // columns that tell lines apart
  facets: string[]; // columns that tell charts apart
}

function combinations(table: Table, columns: string[]): number {
  const texts = columns.map((c) => table.texts(c));
  return new Set(Array.from({ length: table.length }, (_, row) => texts.map((t) => t[row]).join('\n'))).size;
}

function shape(table: Table): Shape | undefined {
  const x = SIZES.find((name) => table.has(name) && table.isNumeric(name) && table.distinct(name).length > 1);
  if (!x || NO_FILES.test(table.file)) return undefined;
  const isKey = (c: string) =>
    c !== x &&
    table.distinct(c).length > 1 &&
    !PUBLISHED.test(c) &&
    (!table.isNumeric(c) ||
      (quantity(c).unit === '' &&
        table.numbers(c).every(Number.isInteger) &&
        table.distinct(c).length <= Math.min(8, table.length / 2)));
  const keys = table.columns.filter(
    (c) => isKey(c) && table.distinct(c).length <= 24 && !/status|note|err|match|digest|path|runs$/.test(c),
  );
  // What the others already tell needs no chart of its own.
  for (const key of keys.filter((k) => table.isNumeric(k))) {
    const others = keys.filter((k) => k !== key);
    if (combinations(table, others) === combinations(table, keys)) keys.splice(keys.indexOf(key), 1);
  }
  const measures = table.columns.filter(
    (c) =>
      c !== x &&
      table.isNumeric(c) &&
      !keys.includes(c) &&
      !PUBLISHED.test(c) &&
      !/seed|count|^tables$|error|_bytes$|digest/.test(c) &&
      table.distinct(c).length > 1,
  );
  if (measures.length === 0) return undefined;
  const lines = keys.filter((k) => TELLS_APART.test(k));
  return {
    table,
    x,
    measures,
    series: lines.length > 0 ? lines : keys.slice(0, 1),
    facets: lines.length > 0 ? keys.filter((k) => !lines.includes(k)) : keys.slice(1),
  };
}

export const shapes = (run: Run): Shape[] => run.tables.map(shape).filter((s): s is Shape => s !== undefined);

// The published column that belongs to a measure: published_iteration_s to iteration_s or measured_iteration_s.
function publishedOf(table: Table, measure: string): string | undefined {
  const bare = (name: string) =>
    name
      .replaceAll(/published|reference|paper|measured|simulated|recomputed|ours/g, '')
      .replaceAll(/^_+|_+$/g, '')
      .replaceAll(/_+/g, '_');
  return table.columns.find(
    (c) => PUBLISHED.test(c) && table.isNumeric(c) && bare(c) === bare(measure) && table.numbers(c).some(Number.isFinite),
  );
}

// Rows whose published number is of a run under other conditions say so; those are shown, but nobody expects the two
// to agree.
const SAME = 'same';
function conditions(table: Table, row: number): string {
  return table.has('published_conditions') ? table.texts('published_conditions')[row] || SAME : SAME;
}

interface Point {
  x: number;
  y: number;
  line: string;
  published: boolean;
}

// How many times as fast as `base` at the same size, ours by ours and published by published.
function speedups(points: Point[], base: string): Point[] {
  const key = (p: Point) => `${p.x} ${p.published}`;
  const bases = new Map(points.filter((p) => p.line === base).map((p) => [key(p), p.y]));
  return points.flatMap((p) => (bases.has(key(p)) ? [{ ...p, y: bases.get(key(p))! / p.y }] : []));
}

// Networks of the published studies keep their colour in every chart, whatever stands beside them: those of the figures.
const KEPT: [RegExp, string][] = [
  [/^fat-tree, ring/, 'var(--c1)'],
  [/^fat-tree, dps/, 'var(--c5)'],
  [/^topoopt/, 'var(--c3)'],
  [/^opera, dps/, 'var(--c4)'],
  [/^opera, ring/, 'var(--c2)'],
];
const lineColour = (name: string, i: number): string => KEPT.find(([pattern]) => pattern.test(name))?.[1] ?? series(i);

const lineName = (s: Shape, row: number) =>
  s.series
    .map((c) => s.table.texts(c)[row]!)
    .filter((t) => t !== '')
    .join(', ');
const isTime = (measure: string) => ['s', 'ms', 'us', 'ns', 'ps'].includes(quantity(measure).unit);

function charts(s: Shape, measure: string, base: string, width: number): Element {
  const { table } = s;
  const published = publishedOf(table, measure);
  const [xs, ys, ps] = [table.numbers(s.x), table.numbers(measure), published ? table.numbers(published) : []];
  const texts = xs.map(
    (_, row) =>
      [
        lineName(s, row),
        s.facets.map((c) => `${quantity(c).label} ${format2(table.cell(c, row))}`).join(', '),
      ] as const,
  );
  const others = new Set(xs.map((_, row) => conditions(table, row)).filter((c) => c !== SAME));
  const names = [...new Set(texts.map((t) => t[0]))];
  const facets = [...new Set(texts.map((t) => t[1]))];
  const [x, y] = [quantity(s.x), quantity(measure)];
  const most = Math.max(1, Math.min(facets.length, Math.floor(width / 330)));
  const columns = Math.ceil(facets.length / Math.ceil(facets.length / most)); // as even as can be
  const each = Math.floor(width / columns) - (columns > 1 ? 12 : 0);
  const one = (facet: string): Element => {
    let points: Point[] = [];
    xs.forEach((value, i) => {
      if (texts[i]![1] !== facet) return;
      if (ys[i]! > 0) points.push({ x: value, y: ys[i]!, line: texts[i]![0], published: false });
      if (published && ps[i]! > 0) points.push({ x: value, y: ps[i]!, line: texts[i]![0], published: true });
    });
    if (base !== '') points = speedups(points, base);
    points.sort((a, b) => a.x - b.x);
    const own = points.filter((p) => !p.published);
    const all = [...new Set(points.map((p) => p.x))];
    const ticks = all.filter((_, i) => i % Math.ceil((all.length * 70) / each) === 0);
    const isLog = base === '' && (isTime(measure) || y.unit === 'GB/s');
    const heights = points.map((p) => p.y);
    const chart = plot({
      width: each,
      height: 280,
      marginLeft: 64,
      inset: 8,
      x: { type: 'log', label: x.label },
      y: isLog
        ? { type: 'log', label: y.label }
        : base !== ''
          ? { label: `times as fast as ${base}`, grid: true, nice: true }
          : { label: y.label, grid: true, ticks: 5, tickFormat: (v: number) => format(v, y.unit), nice: true },
      color: { domain: names, range: names.map(lineColour) },
      marks: [
        logAxis('x', ticks, x.label, (v) => format(v, x.unit)),
        isLog && points.length > 0
          ? logAxis('y', logTicks(Math.min(...heights), Math.max(...heights)), y.label, (v) => format(v, y.unit))
          : null,
        ...(base !== '' ? [Plot.ruleY([1], { stroke: 'currentColor', strokeOpacity: 0.4 })] : []),
        Plot.line(own, { x: 'x', y: 'y', z: 'line', stroke: 'line', strokeWidth: 2 }),
        Plot.dot(own, { x: 'x', y: 'y', fill: 'line', r: 3 }),
        Plot.dot(
          points.filter((p) => p.published),
          { x: 'x', y: 'y', stroke: 'line', r: 6, strokeWidth: 1.5 },
        ),
        Plot.tip(
          points,
          Plot.pointer({
            x: 'x',
            y: 'y',
            title: (p: Point) =>
              `${p.line}\n${x.label} ${format(p.x, x.unit)}${base !== '' ? `: ${digits(p.y)} times as fast` : `: ${y.label} ${format(p.y, y.unit)}`}${p.published ? '\npublished' : ''}`,
          }),
        ),
      ],
    });
    return h('div', { class: 'multiple', style: `width:${each}px` }, facet ? h('h4', {}, facet) : null, chart);
  };
  const legend = h(
    'div',
    { class: 'legend' },
    ...names.map((n, i) => h('span', {}, h('i', { style: `background:${lineColour(n, i)}` }), n || quantity(measure).label)),
    published ? h('span', {}, h('i', { class: 'hollow' }), `published${others.size > 0 ? ` (${[...others].join(', ')})` : ''}`) : null,
  );
  return h('div', {}, legend, h('div', { class: 'multiples' }, ...facets.slice(0, 24).map(one)));
}

const format2 = (cell: Cell) => (typeof cell === 'number' ? digits(cell) : (cell ?? ''));

interface Pair {
  ours: number;
  theirs: number;
  line: string;
  what: string;
  error: number;
}

function pairs(s: Shape, measure: string): Pair[] {
  const { table } = s;
  const [ours, theirs] = [table.numbers(measure), table.numbers(publishedOf(table, measure)!)];
  return ours.flatMap((own, i) =>
    own > 0 && theirs[i]! > 0 && conditions(table, i) === SAME
      ? [
          {
            ours: own,
            theirs: theirs[i]!,
            line: lineName(s, i),
            what: [s.x, ...s.facets].map((c) => `${quantity(c).label} ${table.texts(c)[i]}`).join(', '),
            error: (100 * (own - theirs[i]!)) / theirs[i]!,
          },
        ]
      : [],
  );
}

function scatter(s: Shape, measure: string, width: number): Element {
  const points = pairs(s, measure);
  const { label, unit } = quantity(measure);
  const names = [...new Set(points.map((p) => p.line))];
  const values = points.flatMap((p) => [p.ours, p.theirs]);
  const ends = [Math.min(...values), Math.max(...values)] as const;
  const isLog = ends[1] > 3 * ends[0];
  const [across, up] = [`published ${label}`, `our ${label}`];
  const linear = { grid: true, ticks: 5, tickFormat: (v: number) => format(v, unit), nice: true };
  const errors = points.map((p) => Math.abs(p.error)).sort((a, b) => a - b);
  const chart = plot({
    width: Math.min(width, 560),
    height: Math.min(width, 560) * 0.8,
    marginLeft: 64,
    x: isLog ? { type: 'log', label: across } : { label: across, ...linear },
    y: isLog ? { type: 'log', label: up } : { label: up, ...linear },
    inset: 8,
    color: { domain: names, range: names.map(lineColour) },
    symbol: { domain: names, legend: true },
    marks: [
      isLog ? logAxis('x', logTicks(...ends, 6), across, (v) => format(v, unit)) : null,
      isLog ? logAxis('y', logTicks(...ends), up, (v) => format(v, unit)) : null,
      Plot.line(ends, { x: (v: number) => v, y: (v: number) => v, stroke: 'currentColor', strokeOpacity: 0.5 }),
      Plot.dot(points, { x: 'theirs', y: 'ours', stroke: 'line', symbol: 'line', r: 5, strokeWidth: 2 }),
      Plot.tip(
        points,
        Plot.pointer({
          x: 'theirs',
          y: 'ours',
          title: (p: Pair) => `${p.line}\n${p.what}\n${p.error > 0 ? '+' : ''}${p.error.toFixed(1)} %`,
        }),
      ),
    ],
  });
  return h(
    'div',
    {},
    chart,
    h(
      'p',
      { class: 'dim' },
      `${points.length} points; half of them are within ${digits(errors[Math.floor((errors.length - 1) / 2)]!)} %, the farthest is ${digits(errors[errors.length - 1]!)} % off.`,
    ),
  );
}

// Ours against published, every row a point; the diagonal is agreement.
function agreement(s: Shape, host: HTMLElement): void {
  const measures = s.measures
    .filter((m) => publishedOf(s.table, m) && pairs(s, m).length > 0)
    .sort((a, b) => Number(isTime(b)) - Number(isTime(a)));
  if (measures.length === 0) return;
  let measure = measures[0]!;
  const frame = plotFigure(host, {
    title: 'Ours and published',
    caption: 'The line is agreement.',
    draw: (width) => scatter(s, measure, width),
    csv: () =>
      csv(
        ['series', 'what', measure, publishedOf(s.table, measure)!, 'error_percent'],
        pairs(s, measure).map((p) => [p.line, p.what, p.ours, p.theirs, p.error]),
      ),
  });
  if (measures.length > 1)
    frame.controls.append(
      select(
        'Show',
        measures,
        measure,
        (m) => {
          measure = m;
          frame.redraw();
        },
        (m) => quantity(m).label,
      ),
    );
}

export const scaling: View = {
  id: 'scaling',
  title: 'Scaling',
  shows: (run) => shapes(run).length > 0,
  draw: (run, host) => {
    for (const s of shapes(run)) {
      const first =
        s.measures.find((m) => m.startsWith('busbw')) ?? // what nccl-tests is read for
        s.measures.find((m) => isTime(m) && publishedOf(s.table, m)) ?? s.measures.find(isTime) ?? s.measures[0]!;
      let [measure, base] = [first, ''];
      const names = [...new Set(Array.from({ length: s.table.length }, (_, row) => lineName(s, row)))];
      const frame = plotFigure(host, {
        title: `By ${quantity(s.x).label} (${s.table.file})`,
        caption: 'Both axes are logarithmic.',
        draw: (width) => charts(s, measure, isTime(measure) ? base : '', width),
        csv: () =>
          csv(
            s.table.columns,
            Array.from({ length: s.table.length }, (_, r) => s.table.columns.map((c) => s.table.cell(c, r))),
          ),
      });
      if (s.measures.length > 1) {
        frame.controls.append(
          select(
            'Show',
            s.measures,
            first,
            (m) => {
              measure = m;
              frame.redraw();
            },
            (m) => quantity(m).label,
          ),
        );
      }
      if (names.length > 1 && s.measures.some(isTime)) {
        frame.controls.append(
          select(
            'As',
            ['', ...names],
            '',
            (name) => {
              base = name;
              frame.redraw();
            },
            (name) => (name === '' ? 'times' : `speed-up over ${name}`),
          ),
        );
      }
      agreement(s, host);
      const columns: Column[] = s.table.columns.map((name) => ({ name }));
      host.append(
        h(
          'details',
          {},
          h('summary', {}, `${s.table.file} as a table`),
          sortable(
            columns,
            Array.from({ length: s.table.length }, (_, r) => s.table.columns.map((c) => s.table.cell(c, r))),
          ),
        ),
      );
    }
  },
};
