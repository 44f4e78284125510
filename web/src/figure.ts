// The frame around every drawing: heading, controls, what can be saved or copied, a sentence below. And the two ways
// of drawing that need one: Observable Plot for statistics, uPlot for long series.

import * as Plot from '@observablehq/plot';
import uPlot from 'uplot';
import { copy, download, h, onWidth } from './dom';
import { color, onTheme, SERIES } from './theme';
import { digits } from './units';

export interface Figure {
  root: HTMLElement;
  controls: HTMLElement;
  body: HTMLElement;
  tools: HTMLElement;
}

export function figure(title: string, caption = ''): Figure {
  const controls = h('div', { class: 'controls' });
  const body = h('div', { class: 'body' });
  const tools = h('div', { class: 'tools' });
  const root = h(
    'figure',
    {},
    h('div', { class: 'figure-head' }, h('h3', {}, title), controls),
    body,
    h('figcaption', {}, caption),
    tools,
  );
  return { root, controls, body, tools };
}

const fileName = (title: string, ending: string) =>
  `${title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')}.${ending}`;

export function tool(frame: Figure, label: string, action: (button: HTMLElement) => void): void {
  const button: HTMLElement = h('button', { class: 'quiet', type: 'button', onclick: () => action(button) }, label);
  frame.tools.append(button);
}

export const csvTool = (frame: Figure, text: () => string): void =>
  tool(frame, 'Copy as CSV', (button) => void copy(text(), button));

export function pngTool(frame: Figure, title: string, canvas: () => HTMLCanvasElement): void {
  tool(frame, 'Save PNG', () => {
    const source = canvas();
    const flat = h('canvas', { width: source.width, height: source.height });
    const context = flat.getContext('2d')!;
    context.fillStyle = color('--ground');
    context.fillRect(0, 0, flat.width, flat.height);
    context.drawImage(source, 0, 0);
    flat.toBlob((blob) => blob && download(fileName(title, 'png'), blob));
  });
}

// A copy of `svg` that stands alone: variables become the colours of now.
function standalone(svg: SVGSVGElement): string {
  const text = new XMLSerializer().serializeToString(svg);
  const values = text.replaceAll(/var\((--[\w-]+)\)/g, (whole, name: string) => color(name) || whole);
  return values.replace(
    /^<svg/,
    `<svg style="background:${color('--ground')};color:${color('--ink')};font-family:sans-serif"`,
  );
}

// Plot's own letters are too small for a talk.
export const plot = (options: Plot.PlotOptions): Element =>
  Plot.plot({ style: { fontSize: '12px' }, marginTop: 26, marginBottom: 44, ...options });

// Powers of ten from `low` to `high`, with as many steps between as there is room for; round numbers at equal distances
// where less than three of these lie in a narrow range.
export function logTicks(low: number, high: number, most = 7): number[] {
  const within = (steps: number[]) => {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
      for (const step of steps) {
        const tick = Number((step * 10 ** power).toPrecision(3));
        if (tick >= low * 0.9999 && tick <= high * 1.0001) ticks.push(tick);
      }
    return ticks;
  };
  const candidates = [[1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]].map(within);
  const ticks = candidates.find((some) => some.length <= most) ?? candidates[candidates.length - 1]!;
  return ticks.length >= 3 || high > 3 * low ? ticks : evenTicks(low, high);
}

function evenTicks(low: number, high: number): number[] {
  const rough = (high - low) / 4 || low / 10;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((s) => s * power >= rough) ?? 10);
  const first = Math.ceil((low * 0.9999) / step);
  const count = Math.floor((high * 1.0001) / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => Number(((first + i) * step).toPrecision(6)));
}

// A logarithmic axis with these ticks and no others, every one labelled: Plot would label those that it likes.
export function logAxis(side: 'x' | 'y', ticks: number[], label: string, text: (tick: number) => string): Plot.Markish {
  const options = { label, text: ticks.map(text), tickSize: 4 };
  return side === 'x'
    ? [Plot.gridX(ticks), Plot.axisX(ticks, options)]
    : [Plot.gridY(ticks), Plot.axisY(ticks, options)];
}

// Draws a chart of Plot anew whenever the width changes. Several SVGs (small multiples) may be returned in one element.
export function plotFigure(
  host: HTMLElement,
  options: { title: string; caption?: string; draw: (width: number) => Element; csv?: () => string },
): Figure & { redraw: () => void } {
  const frame = figure(options.title, options.caption);
  host.append(frame.root);
  let width = 0;
  const redraw = () => {
    if (width === 0) return;
    frame.body.replaceChildren(options.draw(width));
    for (const svg of frame.body.querySelectorAll('svg')) {
      svg.setAttribute('role', 'img');
      svg.setAttribute('aria-label', options.title);
    }
  };
  onWidth(frame.body, (now) => {
    width = now;
    redraw();
  });
  if (options.csv) csvTool(frame, options.csv);
  tool(frame, 'Save SVG', () => {
    const largest = [...frame.body.querySelectorAll('svg')].sort(
      (a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight,
    )[0];
    if (largest) download(fileName(options.title, 'svg'), new Blob([standalone(largest)], { type: 'image/svg+xml' }));
  });
  return { ...frame, redraw };
}

export interface Line {
  name: string;
  values: (number | null)[];
  color?: string; // a variable
  points?: boolean; // sparse: dots instead of a line
  dashed?: boolean;
  faint?: boolean; // behind a smoother one of the same colour
}

// The highest value, and the highest that is not a rare outlier, such as a first step that fills the cache.
function usualPeak(lines: Line[]): { most: number; usual: number } {
  const tops = lines.map((line) => {
    const known = line.values.filter((v): v is number => v !== null && Number.isFinite(v)).sort((a, b) => a - b);
    return { most: known[known.length - 1] ?? 0, usual: known[Math.floor(0.985 * (known.length - 1))] ?? 0 };
  });
  const most = Math.max(...tops.map((t) => t.most));
  const usual = Math.max(...tops.map((t) => t.usual));
  return usual > 0 && most > 4 * usual ? { most, usual } : { most, usual: most };
}

// Long series over one axis; drag to zoom, double-click to go back.
export function seriesFigure(
  host: HTMLElement,
  options: {
    title: string;
    caption?: string;
    x: number[];
    xLabel: string;
    yLabel: string;
    lines: Line[];
    height?: number;
  },
): Figure {
  const frame = figure(options.title, options.caption);
  host.append(frame.root);
  let chart: uPlot | null = null;
  const height = options.height ?? 240;
  const stroke = (line: Line, i: number) => () => color(line.color ?? SERIES[i % SERIES.length]!);
  const peak = usualPeak(options.lines);
  let cut = peak.usual < peak.most;
  if (cut) {
    const say = () => (cut ? `Peaks up to ${digits(peak.most)} lie outside; show them` : 'Leave peaks out');
    tool(frame, say(), (button) => {
      cut = !cut;
      button.textContent = say();
      chart?.setData(chart.data);
    });
  }
  const axisStyle = {
    stroke: () => color('--ink'),
    grid: { stroke: () => color('--rule'), width: 1 },
    ticks: { stroke: () => color('--rule'), width: 1 },
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
  };
  onWidth(frame.body, (width) => {
    chart?.destroy();
    chart = new uPlot(
      {
        width,
        height,
        scales: {
          x: { time: false },
          y: {
            range: (_, low, high) =>
              uPlot.rangeNum(low ?? 0, cut ? Math.min(peak.usual, high ?? 0) : (high ?? 1), 0.1, true),
          },
        },
        cursor: { drag: { x: true, y: false } },
        legend: { live: true },
        axes: [
          { ...axisStyle, label: options.xLabel, labelSize: 20, size: 36 },
          { ...axisStyle, label: options.yLabel, labelSize: 20, size: 58, values: (_, ticks) => ticks.map(digits) },
        ],
        series: [
          { label: options.xLabel, value: (_, v) => (v === null ? '\u2013' : digits(v)) },
          ...options.lines.map((line, i): uPlot.Series => ({
            label: line.name,
            stroke: stroke(line, i),
            width: line.faint ? 1 : 1.75,
            alpha: line.faint ? 0.3 : 1,
            spanGaps: true,
            class: line.faint ? 'faint' : undefined,
            dash: line.dashed ? [6, 3] : undefined,
            points: line.points
              ? { show: true, size: 7, fill: stroke(line, i) }
              : { show: options.x.length < 40, size: 5 },
            value: (_, v) => (v === null ? '\u2013' : digits(v)),
          })),
        ],
      },
      [options.x, ...options.lines.map((l) => l.values)] as uPlot.AlignedData,
      frame.body,
    );
    const canvas = frame.body.querySelector('canvas')!;
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', options.title);
  });
  onTheme(() => chart?.redraw());
  csvTool(
    frame,
    () =>
      [
        [options.xLabel, ...options.lines.map((l) => l.name)].map((n) => JSON.stringify(n)).join(','),
        ...options.x.map((x, i) => [x, ...options.lines.map((l) => l.values[i] ?? '')].join(',')),
      ].join('\n') + '\n',
  );
  return frame;
}
