// Which link is the bottleneck: links over time, the network coloured by load, queues, and completion times.

import * as Plot from '@observablehq/plot';
import type { Run, Table } from '../data';
import { h, select } from '../dom';
import { logAxis, logTicks, plot, plotFigure, seriesFigure } from '../figure';
import { heatFigure, type HeatOptions } from '../heat';
import { csv, sortable } from '../sortable';
import { series } from '../theme';
import { topologyFigure } from '../topology';
import { axis, digits, format, formatNamed, quantity, scale } from '../units';
import type { View } from './view';

const COLUMNS = 400; // of the heat map; more samples are averaged
const ALIKE = 0.1; // of the largest value: links that never differ by more are shown as one

interface Grid {
  names: string[];
  times: number[]; // right edges, microseconds
  cells: Float64Array; // row by row; NaN where nothing was seen
}

function grid(table: Table, measure: string, keep: (name: string) => boolean): Grid {
  const [link, until, value] = [table.texts('link'), table.numbers('until_us'), table.numbers(measure)];
  const names = [...new Set(link)].filter(keep);
  const end = until.reduce((a, b) => Math.max(a, b), 0);
  const steps = new Set(until).size;
  const columns = Math.max(1, Math.min(COLUMNS, steps));
  const row = new Map(names.map((n, i) => [n, i]));
  const sums = new Float64Array(names.length * columns);
  const counts = new Float64Array(names.length * columns);
  for (let i = 0; i < link.length; i++) {
    const r = row.get(link[i]!);
    if (r === undefined) continue;
    const at = r * columns + Math.min(columns - 1, Math.max(0, Math.ceil((until[i]! / end) * columns - 1e-9) - 1));
    sums[at] = measure.includes('max') ? Math.max(sums[at]!, value[i]!) : sums[at]! + value[i]!;
    counts[at] = measure.includes('max') ? 1 : counts[at]! + 1;
  }
  return {
    names,
    times: Array.from({ length: columns }, (_, c) => (end * (c + 1)) / columns),
    cells: sums.map((s, i) => (counts[i]! > 0 ? s / counts[i]! : NaN)),
  };
}

// Links that did the same at the same time become one row, which says how many they are. Tiers and dimensions are
// sums already.
export function merged(of: Grid, max: number): Grid {
  const columns = of.times.length;
  const row = (r: number) => of.cells.subarray(r * columns, (r + 1) * columns);
  const alike = (a: Float64Array, b: Float64Array) =>
    a.every((value, i) => value === b[i] || Math.abs(value - b[i]!) <= ALIKE * max || (Number.isNaN(value) && Number.isNaN(b[i]!)));
  const kept: { first: number; rows: number[] }[] = [];
  of.names.forEach((name, r) => {
    const same = /^(tier|dimension) /.test(name) ? undefined : kept.find((k) => !/^(tier|dimension) /.test(of.names[k.first]!) && alike(row(k.first), row(r)));
    if (same) same.rows.push(r);
    else kept.push({ first: r, rows: [r] });
  });
  const cells = new Float64Array(kept.length * columns);
  kept.forEach((k, at) => {
    for (let c = 0; c < columns; c++)
      cells[at * columns + c] = k.rows.reduce((sum, r) => sum + row(r)[c]!, 0) / k.rows.length;
  });
  const names = kept.map((k) => `${of.names[k.first]!}${k.rows.length > 1 ? ` and ${k.rows.length - 1} alike` : ''}`);
  return { names, times: of.times, cells };
}

// Round times along `columns` columns that end at `end`.
function timeTicks(end: number, columns: number): { at: number; text: string }[] {
  const power = 10 ** Math.floor(Math.log10(end / 6));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => end / s <= 10) ?? end;
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, i) => ({
    at: (columns * i * step) / end,
    text: digits(Number((i * step).toPrecision(6))),
  }));
}

function linkHeat(table: Table, host: HTMLElement): void {
  const measures = ['utilisation_percent', 'queued_mean_bytes', 'queued_max_bytes'].filter((m) => table.has(m));
  const options = (measure: string): HeatOptions => {
    const all = grid(table, measure, () => true);
    const { unit, label } = quantity(measure);
    const max = unit === '%' ? 100 : all.cells.reduce((a, b) => (b > a ? b : a), 0);
    const { names, times, cells } = merged(all, max);
    const timeScale = scale('us', times[times.length - 1]!);
    const columns = times.length;
    return {
      title: 'Links over time',
      caption:
        'Whole tiers or dimensions first, then the links that carried most. Links that never differ by more than a tenth are one row.',
      rows: names.length,
      columns,
      value: (r, c) => cells[r * columns + c]!,
      max,
      legend: [format(0, unit), `${format(max, unit)} ${label}`],
      rowLabel: (r) => names[r]!.replace('>', ' \u2192 '),
      columnLabel: String,
      xTicks: timeTicks(times[times.length - 1]! / timeScale.per, columns),
      xTitle: `time (${timeScale.name})`,
      yTitle: 'link',
      tip: (r, c) => [
        names[r]!.replace('>', ' \u2192 '),
        `${label}: ${format(cells[r * columns + c]!, unit)}`,
        `until ${format(times[c]!, 'us')}`,
      ],
      rowHeight: names.length > 24 ? 9 : 16,
      everyRow: names.length <= 24,
    };
  };
  const heat = heatFigure(host, options(measures[0]!));
  heat.controls.append(
    select(
      'Show',
      measures,
      measures[0]!,
      (m) => heat.update(options(m)),
      (m) => quantity(m).label,
    ),
  );
}

export const links: View = {
  id: 'links',
  title: 'Links',
  shows: (run) =>
    !!run.table('links.csv')?.has('from', 'to', 'utilisation_percent') || !!run.table('links_over_time.csv'),
  draw: (run, host) => {
    const over = run.table('links_over_time.csv');
    if (over?.has('link', 'until_us')) linkHeat(over, host);
    const table = run.table('links.csv');
    if (!table?.has('from', 'to', 'utilisation_percent')) return;
    const loaded = table.numbers('utilisation_percent').some((percent) => percent > 0); // not where formulas are the network
    if (!table.cut && loaded) topologyFigure(host, table);
    if (!completion.shows(run)) queues(run, host);
    const rows = Array.from({ length: table.length }, (_, r) => r).sort(
      (a, b) => table.numbers('utilisation_percent')[b]! - table.numbers('utilisation_percent')[a]!,
    );
    host.append(
      h(
        'details',
        {},
        h('summary', {}, 'All links as a table'),
        sortable(
          table.columns.map((name) => ({ name })),
          rows.map((r) => table.columns.map((c) => table.cell(c, r))),
          'Links',
        ),
      ),
    );
  },
};

interface Distribution {
  run: string;
  time: number;
  share: number;
}

// The share of flows that took at most so long; several runs share one chart.
export function completionCdf(runs: Run[], host: HTMLElement): void {
  const points: Distribution[] = [];
  for (const run of runs) {
    const table = run.table('fct_distribution.csv');
    if (!table?.has('share_of_flows', 'fct_us')) continue;
    const [share, time] = [table.numbers('share_of_flows'), table.numbers('fct_us')];
    points.push({ run: run.label, time: time[0]!, share: 0 });
    share.forEach((s, i) => points.push({ run: run.label, time: time[i]!, share: s }));
  }
  if (points.length === 0) return;
  const { of, label } = axis(
    'completion_time_us',
    points.map((p) => p.time),
  );
  const names = [...new Set(points.map((p) => p.run))];
  const shown = points.map((p) => of(p.time)).filter((t) => t > 0);
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  const log = most > 30 * least;
  plotFigure(host, {
    title: 'Flow completion times',
    caption: 'The share of flows that finished within a time.',
    draw: (width) =>
      plot({
        width,
        height: 300,
        marginLeft: 48,
        x: log ? { type: 'log' } : { label, grid: true },
        y: { label: 'share of flows (%)', grid: true, domain: [0, 100] },
        color: { domain: names, range: names.map((_, i) => series(i)), legend: names.length > 1 },
        marks: [
          log ? logAxis('x', logTicks(least, most, 12), label, digits) : null,
          Plot.ruleY([0]),
          Plot.line(points, {
            x: (p: Distribution) => of(p.time),
            y: (p: Distribution) => 100 * p.share,
            stroke: 'run',
            strokeWidth: 2,
            curve: 'step-after',
          }),
          Plot.tip(
            points,
            Plot.pointerX({
              x: (p: Distribution) => of(p.time),
              y: (p: Distribution) => 100 * p.share,
              title: (p: Distribution) =>
                `${names.length > 1 ? p.run + '\n' : ''}${(100 * p.share).toFixed(1)} % within ${format(p.time, 'us')}`,
            }),
          ),
        ],
      }),
    csv: () =>
      csv(
        ['run', 'fct_us', 'share_of_flows'],
        points.map((p) => [p.run, p.time, p.share]),
      ),
  });
}

// Tiers whose queues are of another order are drawn apart, or the short ones would lie on the axis.
function queuesOverTime(over: Table, host: HTMLElement): void {
  const { names, times, cells } = grid(over, 'queued_max_bytes', (name) => name.startsWith('tier '));
  const lines = names
    .map((name, r) => ({ name, values: times.map((_, c) => cells[r * times.length + c]!) }))
    .map((line) => ({ ...line, longest: line.values.reduce((a, b) => (b > a ? b : a), 0) }))
    .filter((line) => line.longest > 0);
  const longest = Math.max(0, ...lines.map((l) => l.longest));
  const [long, short] = [true, false].map((side) => lines.filter((l) => l.longest * 20 >= longest === side));
  for (const shown of [long!, short!].filter((part) => part.length > 0)) {
    const bytes = scale('B', Math.max(...shown.map((l) => l.longest)));
    const time = scale('us', times[times.length - 1] ?? 0);
    seriesFigure(host, {
      title: `Longest queue of each tier over time${shown === short ? ', tiers with short queues' : ''}`,
      x: times.map((t) => t / time.per),
      xLabel: `time (${time.name})`,
      yLabel: `queue (${bytes.name})`,
      lines: shown.map(({ name, values }) => ({ name, values: values.map((v) => v / bytes.per) })),
    });
  }
}

// Of bytes, with a tick at every power of 2, 4, 16 ...: the closest that are not too many.
function byteTicks(least: number, most: number): number[] {
  const every = (base: number) =>
    Array.from({ length: 51 }, (_, i) => base ** i).filter((t) => t >= least / 2 && t <= 2 * most);
  return [2, 4, 16, 256].map(every).find((ticks) => ticks.length <= 9) ?? every(1024);
}

function queues(run: Run, host: HTMLElement): void {
  const over = run.table('links_over_time.csv');
  if (over?.has('queued_max_bytes')) queuesOverTime(over, host);
  const table = run.table('links.csv');
  if (!table?.has('tier', 'peak_queue_bytes')) return;
  const all = table.texts('tier').map((tier, i) => ({ tier, peak: table.numbers('peak_queue_bytes')[i]! }));
  const rows = all.filter((r) => r.peak > 0);
  if (rows.length === 0) return;
  const { of: scaled, label } = axis(
    'longest_queue_of_a_link_bytes',
    rows.map((r) => r.peak),
  );
  const tiers = table.distinct('tier').filter((tier) => rows.some((r) => r.tier === tier));
  const peaks = rows.map((r) => r.peak);
  const [least, most] = [Math.min(...peaks), Math.max(...peaks)];
  const log = most > 30 * least;
  const of = log ? (bytes: number) => bytes : scaled;
  const across = (peak: number) => (log ? Math.log(peak / least) / Math.log(most / least) : peak / most);
  const medians = tiers.map((tier) => {
    const peak = medianOf(rows.filter((r) => r.tier === tier).map((r) => r.peak));
    return { tier, peak, share: across(peak) };
  });
  const say = (right: boolean) =>
    Plot.text(
      medians.filter((m) => m.share > 0.6 === right),
      {
        x: (m: { peak: number }) => of(m.peak),
        y: 'tier',
        text: (m: { peak: number }) => `median ${formatNamed('x_bytes', m.peak)}`,
        dx: right ? -4 : 4,
        dy: -16,
        textAnchor: right ? 'end' : 'start',
        fill: 'currentColor',
      },
    );
  plotFigure(host, {
    title: 'Queues, link by link',
    caption: `Each mark is the longest queue of one link.${rows.length < all.length ? ` ${all.length - rows.length} of ${all.length} links never had one.` : ''}`,
    draw: (width) =>
      plot({
        width,
        height: 50 + 44 * tiers.length,
        marginLeft: 20 + 7 * Math.max(...tiers.map((t) => t.length)),
        marginRight: 24,
        x: log
          ? { type: 'log' as const, domain: [least / 2, 2 * most] }
          : { label, grid: true, nice: true, zero: true },
        y: { label: null, domain: tiers },
        marks: [
          log ? logAxis('x', byteTicks(least, most), 'longest queue of a link', (b) => format(b, 'B')) : null,
          Plot.tickX(rows, {
            x: (r: { peak: number }) => of(r.peak),
            y: 'tier',
            stroke: 'var(--c1)',
            strokeOpacity: 0.35,
            inset: 6,
          }),
          Plot.tickX(medians, {
            x: (m: { peak: number }) => of(m.peak),
            y: 'tier',
            stroke: 'var(--c4)',
            strokeWidth: 3,
            inset: 2,
          }),
          say(false),
          say(true),
        ],
      }),
    csv: () =>
      csv(
        ['tier', 'peak_queue_bytes'],
        all.map((r) => [r.tier, r.peak]),
      ),
  });
}

function medianOf(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
}

// Only where flows have different sizes is there something to see.
function sizes(run: Run, host: HTMLElement): void {
  const table = run.table('fct.csv');
  const time = table?.has('fct_ns') ? 'fct_ns' : 'fct_us';
  if (!table?.has('bytes', time) || new Set(table.numbers('bytes')).size < 3) return;
  const step = Math.ceil(table.length / 5000);
  const rows = table
    .numbers('bytes')
    .map((bytes, i) => ({ bytes, time: table.numbers(time)[i]! }))
    .filter((r, i) => i % step === 0 && r.bytes > 0 && r.time > 0);
  const [x, y] = [
    axis(
      'flow_size_bytes',
      rows.map((r) => r.bytes),
    ),
    axis(
      time,
      rows.map((r) => r.time),
    ),
  ];
  const range = (values: number[]): [number, number] => [Math.min(...values), Math.max(...values)];
  const ticks = { x: range(rows.map((r) => x.of(r.bytes))), y: range(rows.map((r) => y.of(r.time))) };
  plotFigure(host, {
    title: 'Completion time by size of the flow',
    draw: (width) =>
      plot({
        width,
        height: 300,
        marginLeft: 56,
        x: { type: 'log' },
        y: { type: 'log' },
        marks: [
          logAxis('x', logTicks(...ticks.x, 10), x.label, digits),
          logAxis('y', logTicks(...ticks.y), y.label.replace('fct', 'completion time'), digits),
          Plot.dot(rows, {
            x: (r: { bytes: number }) => x.of(r.bytes),
            y: (r: { time: number }) => y.of(r.time),
            r: 2,
            fill: 'var(--c1)',
            fillOpacity: 0.4,
          }),
        ],
      }),
    csv: () =>
      csv(
        ['bytes', time],
        rows.map((r) => [r.bytes, r.time]),
      ),
  });
}

export const completion: View = {
  id: 'completion',
  title: 'Flows and queues',
  shows: (run) => !!run.table('fct_distribution.csv'),
  draw: (run, host) => {
    completionCdf([run], host);
    sizes(run, host);
    queues(run, host);
  },
};
