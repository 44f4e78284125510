// Where the iteration went: compute, communication that compute does not hide, and communication that it does.

import * as Plot from '@observablehq/plot';
import type { Run } from '../data';
import { h } from '../dom';
import { plot, plotFigure } from '../figure';
import { csv, sortable } from '../sortable';
import { PARTS } from '../theme';
import { axis, change, format } from '../units';
import type { View } from './view';

interface LayerTime {
  layer: string;
  compute: number;
  exposed: number;
  overlapped: number;
}

interface Piece {
  part: string;
  from: number;
  to: number;
}

const MOST_LAYERS = 40;
const NAMES = ['compute', 'exposed', 'overlapped'] as const;

// ASTRA-sim's own report: microseconds, the names of the layers in a column without a name.
function astraTimes(run: Run): LayerTime[] {
  const table = run.table('EndToEnd.csv');
  const sum = (row: number, what: string) =>
    ['fwd', 'wg', 'ig'].reduce((s, pass) => s + (table!.numbers(`${pass} ${what}`)[row] || 0), 0);
  if (!table?.has('fwd compute', 'wg exposed comm', 'ig total comm')) return [];
  const names = table.packed.columns[0]!;
  return (names.codes ?? [])
    .map((code, row) => {
      const exposed = sum(row, 'exposed comm');
      return {
        layer: names.words![code]!,
        compute: sum(row, 'compute'),
        exposed,
        overlapped: Math.max(0, sum(row, 'total comm') - exposed),
      };
    })
    .filter((t) => t.layer !== '' && t.compute + t.exposed + t.overlapped > 0);
}

const known = (run: Run, key: string, astra: string): number | undefined =>
  run.number(key) ?? run.table('EndToEnd.csv')?.numbers(astra).find(Number.isFinite);

export function layerTimes(run: Run): LayerTime[] {
  const table = run.table('layers.csv');
  if (!table) return astraTimes(run);
  if (!table?.has('layer', 'compute_us', 'communication_us', 'exposed_us')) return [];
  const byLayer = new Map<string, LayerTime>();
  const [layer, compute, communication, exposed] = [
    table.texts('layer'),
    table.numbers('compute_us'),
    table.numbers('communication_us'),
    table.numbers('exposed_us'),
  ];
  layer.forEach((name, i) => {
    const time = byLayer.get(name) ?? { layer: name, compute: 0, exposed: 0, overlapped: 0 };
    time.compute += compute[i]!;
    time.exposed += exposed[i]!;
    time.overlapped += Math.max(0, communication[i]! - exposed[i]!);
    byLayer.set(name, time);
  });
  return [...byLayer.values()];
}

// The layers that take longest, in the model's order, and the rest as one.
function shortened(times: LayerTime[]): LayerTime[] {
  if (times.length <= MOST_LAYERS) return times;
  const own = (t: LayerTime) => t.compute + t.exposed;
  const limit = own([...times].sort((a, b) => own(b) - own(a))[MOST_LAYERS - 2]!);
  const kept = times.filter((t) => own(t) >= limit).slice(0, MOST_LAYERS - 1);
  const rest = times.filter((t) => !kept.includes(t));
  const sum = (part: (typeof NAMES)[number]) => rest.reduce((s, t) => s + t[part], 0);
  return [
    ...kept,
    { layer: `${rest.length} others`, compute: sum('compute'), exposed: sum('exposed'), overlapped: sum('overlapped') },
  ];
}

export function legend(names: readonly string[], colors: string[]): HTMLElement {
  return h(
    'div',
    { class: 'legend' },
    ...names.map((name, i) => h('span', {}, h('i', { style: `background:${colors[i]}` }), name)),
  );
}

// A bar per row that adds up: compute, then exposed communication, then what is hidden behind compute.
export function stacked(rows: LayerTime[], width: number, label: string): Element {
  const all = rows.map((r) => r.compute + r.exposed + r.overlapped);
  const { of, label: text } = axis(label, all);
  const pieces = rows
    .flatMap((r) => {
      let end = 0;
      return NAMES.map((part) => ({
        row: r.layer,
        part,
        from: of(end),
        to: of((end += r[part])),
        tip: `${r.layer}\n${part}: ${format(r[part], 'us')}`,
      }));
    })
    .filter((p) => p.to > p.from);
  const longest = Math.max(...rows.map((r) => r.layer.length));
  const svg = plot({
    width,
    height: 52 + rows.length * 22,
    marginLeft: Math.min(width * 0.35, 20 + longest * 7.2),
    x: { label: text, grid: true, nice: true },
    y: { label: null, domain: rows.map((r) => r.layer) },
    color: { domain: NAMES, range: NAMES.map((n) => PARTS[n]) },
    marks: [
      Plot.barX(pieces, {
        x1: 'from',
        x2: 'to',
        y: 'row',
        fill: 'part',
        fillOpacity: (p: Piece) => (p.part === 'overlapped' ? 0.45 : 1),
        insetTop: 1,
        insetBottom: 1,
      }),
      Plot.tip(pieces, Plot.pointer({ x: (p: Piece) => (p.from + p.to) / 2, y: 'row', title: 'tip' })),
    ],
  });
  const names = ['compute', 'exposed communication', 'overlapped communication'].slice(
    0,
    rows.some((r) => r.overlapped > 0) ? 3 : 2,
  );
  return h(
    'div',
    {},
    legend(names, [PARTS.compute, PARTS.exposed, 'color-mix(in srgb, var(--overlapped) 45%, transparent)']),
    svg,
  );
}

export const iteration: View = {
  id: 'iteration',
  title: 'Where the time went',
  shows: (run) => layerTimes(run).length > 0,
  draw: (run, host) => {
    const times = layerTimes(run);
    const exposedInLayers = times.reduce((s, t) => s + t.exposed, 0);
    const compute = known(run, 'compute_us', 'total comp') ?? times.reduce((s, t) => s + t.compute, 0);
    const exposed = known(run, 'exposed_communication_us', 'total exposed comm') ?? exposedInLayers;
    const total = compute + exposed;
    // ASTRA-sim's own files leave out most of what the end of a run waits for; ours charge every wait.
    if (exposed - exposedInLayers > 0.001 * total)
      times.push({ layer: 'waits that ASTRA-sim charges to no layer', compute: 0, exposed: exposed - exposedInLayers, overlapped: 0 });
    const iterations = run.number('iterations') ?? 1;
    if (total > 0) {
      host.append(
        h(
          'div',
          {
            class: 'share',
            role: 'img',
            'aria-label': `compute ${((100 * compute) / total).toFixed(1)} percent, exposed communication the rest`,
          },
          share('compute', compute, total, '--compute'),
          share('exposed communication', exposed, total, '--exposed'),
        ),
      );
    }
    plotFigure(host, {
      title: 'Time per layer',
      caption: `Sum over ${iterations} iteration${iterations === 1 ? '' : 's'} and all passes. Compute and exposed communication add up to the run. Overlapped communication is under way while something else runs or is waited for; layers share that time, so it does not add up.`,
      draw: (width) => stacked(shortened(times), width, 'time_us'),
      csv: () =>
        csv(
          ['layer', 'compute_us', 'exposed_us', 'overlapped_us'],
          times.map((t) => [t.layer, t.compute, t.exposed, t.overlapped]),
        ),
    });
    const table = run.table('layers.csv');
    if (table)
      host.append(
        h(
          'details',
          {},
          h('summary', {}, 'Layers and passes as a table'),
          sortable(
            table.columns.map((name) => ({ name })),
            Array.from({ length: table.length }, (_, r) => table.columns.map((c) => table.cell(c, r))),
            'Time per layer and pass',
          ),
        ),
      );
    dimensions(run, host);
  },
};

function share(name: string, part: number, whole: number, variable: string): HTMLElement {
  const percent = (100 * part) / whole;
  return h(
    'div',
    {
      style: `flex:${Math.max(percent, 0.5)} 1 0;background:var(${variable})`,
      title: `${name}: ${format(part, 'us')}`,
    },
    percent > 12 ? `${name} ${percent.toFixed(0)}\u00a0%` : '',
  );
}

function dimensions(run: Run, host: HTMLElement): void {
  const table = run.table('dimensions.csv');
  if (!table?.has('dimension', 'in_use_percent')) return;
  const rows = table
    .texts('dimension')
    .map((d, i) => ({ name: `dimension ${d}`, share: table.numbers('in_use_percent')[i]! }));
  if (rows.every((r) => r.share === 0)) return; // such as messages that belong to no dimension
  plotFigure(host, {
    title: 'How much each dimension of the network was in use',
    draw: (width) =>
      plot({
        width,
        height: 46 + rows.length * 26,
        marginLeft: 96,
        marginRight: 44,
        x: { label: 'in use (% of the run)', domain: [0, 100], grid: true },
        y: { label: null, domain: rows.map((r) => r.name) },
        marks: [
          Plot.barX(rows, { x: 'share', y: 'name', fill: 'var(--c1)', insetTop: 2, insetBottom: 2 }),
          Plot.text(rows, {
            x: 'share',
            y: 'name',
            text: (r: { share: number }) => `${r.share.toFixed(1)} %`,
            dx: 4,
            textAnchor: 'start',
          }),
        ],
      }),
    csv: () =>
      csv(
        ['dimension', 'in_use_percent'],
        rows.map((r) => [r.name, r.share]),
      ),
  });
}

// Runs beside each other, as bars that add up.
export function compareIterations(runs: Run[], host: HTMLElement): void {
  const rows = runs.flatMap((run) => {
    const [compute, exposed] = [run.number('compute_us'), run.number('exposed_communication_us')];
    return compute === undefined || exposed === undefined
      ? []
      : [{ layer: run.label, compute, exposed, overlapped: 0 }];
  });
  if (rows.length < 2) return;
  const first = rows[0]!;
  plotFigure(host, {
    title: 'Where the time went, run by run',
    caption:
      rows
        .slice(1)
        .map((r) => `${r.layer}: ${change(first.compute + first.exposed, r.compute + r.exposed)}`)
        .join(', ') + ` against ${first.layer}.`,
    draw: (width) => stacked(rows, width, 'time_us'),
    csv: () =>
      csv(
        ['run', 'compute_us', 'exposed_us'],
        rows.map((r) => [r.layer, r.compute, r.exposed]),
      ),
  });
  const layers = runs.map((run) => ({ run, times: layerTimes(run) })).filter((r) => r.times.length > 0);
  const names = [...new Set(layers.flatMap((l) => l.times.map((t) => t.layer)))];
  if (layers.length < 2 || names.length > 60) return;
  const points = layers.flatMap(({ run, times }) =>
    times.map((t) => ({ run: run.label, layer: t.layer, time: t.compute + t.exposed })),
  );
  const { of, label } = axis(
    'time_us',
    points.map((p) => p.time),
  );
  plotFigure(host, {
    title: 'Compute and exposed communication per layer',
    draw: (width) =>
      plot({
        width,
        height: 60 + names.length * 20,
        marginLeft: Math.min(width * 0.35, 20 + Math.max(...names.map((n) => n.length)) * 7.2),
        x: { label, grid: true, nice: true },
        y: { label: null, domain: names },
        color: {
          legend: true,
          domain: layers.map((l) => l.run.label),
          range: layers.map((_, i) => `var(--c${(i % 8) + 1})`),
        },
        symbol: { legend: false, domain: layers.map((l) => l.run.label) },
        marks: [
          Plot.dot(points, {
            x: (p: { time: number }) => of(p.time),
            y: 'layer',
            stroke: 'run',
            symbol: 'run',
            strokeWidth: 2,
            r: 4.5,
            tip: true,
          }),
        ],
      }),
    csv: () =>
      csv(
        ['run', 'layer', 'time_us'],
        points.map((p) => [p.run, p.layer, p.time]),
      ),
  });
}
