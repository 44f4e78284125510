// Draws a part of a trace on a canvas. Slices narrower than a pixel are merged into columns, so a frame costs the pixels
// and one look at each slice in view.

import { fit, fitMiddle } from '../heat';
import { color } from '../theme';
import { format } from '../units';
import { caption, lowerBound, type Counter, type Trace, type Track } from './model';

export const ROW = 18;
export const GAP = 6;
export const AXIS = 22;
const COUNTER = 22;

export interface Lane {
  y: number; // from the top of the lanes
  height: number;
  track?: Track;
  counter?: Counter;
  heading?: string;
}

export interface View {
  width: number;
  height: number;
  gutter: number;
  from: number;
  to: number;
  scroll: number;
  found: Uint8Array | null;
  hovered: number;
  picked: number;
}

const FONT = '11px system-ui, sans-serif';

const labelOf = (lane: Lane) => lane.track?.thread ?? lane.counter?.name ?? '';

const isFault = (counter: Counter) => counter.name.startsWith('fault: ');

export function lanes(trace: Trace): { lanes: Lane[]; height: number } {
  const result: Lane[] = [];
  let y = 0;
  const processes = [...new Set(trace.tracks.map((t) => t.process))];
  for (const process of processes) {
    if (processes.length > 1) {
      result.push({ y, height: ROW, heading: process });
      y += ROW;
    }
    const add = (counter: Counter) => {
      result.push({ y, height: COUNTER, counter });
      y += COUNTER + GAP;
    };
    const counters = trace.counters.filter((c) => c.process === process);
    counters.filter(isFault).forEach(add); // they explain what is below
    for (const track of trace.tracks.filter((t) => t.process === process)) {
      result.push({ y, height: track.depth * ROW, track });
      y += track.depth * ROW + GAP;
    }
    counters.filter((c) => !isFault(c)).forEach(add);
  }
  return { lanes: result, height: y };
}

// Twelve colours: four kinds with three tints each.
export function tones(): string[] {
  const mix = (base: string, share: number) => `color-mix(in srgb, ${base} ${share}%, ${color('--ground')})`;
  return ['--compute', '--exposed', '--c3', '--dim'].flatMap((kind) => {
    const base = color(kind);
    return kind === '--dim' ? [mix(base, 45), mix(base, 55), mix(base, 35)] : [base, mix(base, 78), mix(base, 60)];
  });
}

export class Painter {
  private palette: string[] = [];
  private ink = '';
  private dim = '';
  private rule = '';

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly trace: Trace,
    private readonly all: Lane[],
  ) {
    this.theme();
  }

  theme(): void {
    // Canvas wants plain colours: an element resolves the mixes once.
    const probe = document.createElement('span');
    document.body.append(probe);
    this.palette = tones().map((tone) => {
      probe.style.color = tone;
      return getComputedStyle(probe).color;
    });
    probe.remove();
    [this.ink, this.dim, this.rule] = ['--ink', '--dim', '--rule'].map(color) as [string, string, string];
  }

  paint(view: View): void {
    const { context } = this;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    context.font = FONT;
    this.grid(view);
    context.save();
    context.beginPath();
    context.rect(0, AXIS, view.width, view.height - AXIS);
    context.clip();
    context.translate(0, AXIS - view.scroll);
    for (const lane of this.all) {
      if (lane.y + lane.height < view.scroll || lane.y > view.scroll + view.height) continue;
      this.lane(lane, view);
    }
    this.arrows(view);
    context.restore();
  }

  // Room for the names of the lanes: what the widest needs, but at most a third of the width.
  gutter(width: number): number {
    this.context.font = FONT;
    const widest = Math.max(0, ...this.all.map((lane) => this.context.measureText(labelOf(lane)).width));
    return Math.round(Math.min(Math.max(60, widest + 12), width / 3));
  }

  x(when: number, view: View): number {
    return view.gutter + ((when - view.from) / (view.to - view.from)) * (view.width - view.gutter);
  }

  private lane(lane: Lane, view: View): void {
    const { context } = this;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    if (lane.heading !== undefined) {
      context.fillStyle = this.ink;
      context.font = `bold ${FONT}`;
      context.fillText(lane.heading, 2, lane.y + ROW / 2);
      context.font = FONT;
      return;
    }
    context.save();
    context.beginPath();
    context.rect(view.gutter, lane.y, view.width - view.gutter, lane.height);
    context.clip();
    if (lane.track) this.slices(lane.track, lane.y, view);
    if (lane.counter) this.steps(lane.counter, lane, view);
    context.restore();
    context.fillStyle = this.dim;
    const label = labelOf(lane);
    context.fillText(fitMiddle(context, label, view.gutter - 8), 2, lane.y + Math.min(lane.height, ROW) / 2);
    context.fillStyle = this.rule;
    context.fillRect(0, lane.y + lane.height + GAP / 2, view.width, 0.5);
  }

  // Per row of the track and colour, a run of slices below a pixel is one rectangle.
  private slices(track: Track, y: number, view: View): void {
    const { trace, context } = this;
    const { start, stop, row, tone } = trace;
    const per = (view.width - view.gutter) / (view.to - view.from);
    const first = this.firstVisible(track, view.from);
    const reach = new Float64Array(track.depth).fill(-1); // the pixel up to which each row is painted
    const labels: number[] = [];
    let fill = -1;
    for (let i = first; i < track.end; i++) {
      if (start[i]! > view.to) break;
      if (stop[i]! < view.from) continue;
      const r = row[i]!;
      const left = view.gutter + (start[i]! - view.from) * per;
      const right = view.gutter + (stop[i]! - view.from) * per;
      if (right <= reach[r]!) continue;
      const width = right - left;
      // Short ones fill whole pixels, or their edges would blend into shades that mean nothing.
      const x = Math.max(width < 1 ? Math.floor(left) : left, reach[r]!, view.gutter - 1);
      const shownWidth = Math.max(1, Math.min(right, view.width + 1) - x - (width > 4 ? 0.75 : 0));
      const dimmed = view.found !== null && view.found[i] === 0;
      const wanted = dimmed ? 100 : tone[i]!;
      if (wanted !== fill) {
        context.fillStyle = dimmed ? this.rule : this.palette[wanted]!;
        fill = wanted;
      }
      context.fillRect(x, y + r * ROW, shownWidth, ROW - 2);
      reach[r] = x + shownWidth;
      if (width > 32) labels.push(i);
      if (i === view.picked || i === view.hovered) this.frame(x, y + r * ROW, shownWidth);
    }
    this.labels(labels, y, per, view);
  }

  // Slices of one track may contain others, so one that began long ago may still be open; its row 0 tells.
  private firstVisible(track: Track, from: number): number {
    const { start, row } = this.trace;
    let i = lowerBound(start, track.first, track.end, from);
    while (i > track.first) {
      i--;
      if (row[i] === 0) break;
    }
    return i;
  }

  private frame(x: number, y: number, width: number): void {
    this.context.strokeStyle = this.ink;
    this.context.lineWidth = 1.5;
    this.context.strokeRect(x - 0.5, y - 0.5, width + 1, ROW - 1);
  }

  private labels(slices: number[], y: number, per: number, view: View): void {
    const { context, trace } = this;
    context.textBaseline = 'middle';
    for (const i of slices) {
      const left = Math.max(view.gutter, view.gutter + (trace.start[i]! - view.from) * per);
      const right = Math.min(view.width, view.gutter + (trace.stop[i]! - view.from) * per);
      const text = fit(context, caption(trace, i), right - left - 6);
      if (text === '') continue;
      context.fillStyle =
        view.found !== null && view.found[i] === 0
          ? this.dim
          : luminous(this.palette[trace.tone[i]!]!)
            ? '#111'
            : '#fff';
      context.fillText(text, left + 3, y + trace.row[i]! * ROW + (ROW - 2) / 2 + 0.5);
    }
  }

  private steps(counter: Counter, lane: Lane, view: View): void {
    const { context } = this;
    context.fillStyle = this.palette[4]!;
    const first = Math.max(0, lowerBound(counter.when, 0, counter.when.length, view.from) - 1);
    for (let i = first; i < counter.when.length && counter.when[i]! <= view.to; i++) {
      const x = this.x(Math.max(counter.when[i]!, view.from), view);
      const end = this.x(Math.min(i + 1 < counter.when.length ? counter.when[i + 1]! : this.trace.to, view.to), view);
      const height = counter.max > 0 ? (lane.height - 2) * (counter.value[i]! / counter.max) : 0;
      if (height > 0) context.fillRect(x, lane.y + lane.height - 1 - height, Math.max(end - x, 0.5), height);
    }
  }

  // Those of the picked slice, or of the one under the pointer.
  private arrows(view: View): void {
    const slice = view.picked >= 0 ? view.picked : view.hovered;
    if (slice < 0) return;
    const { from, to } = this.trace.packed.arrows;
    this.context.strokeStyle = this.ink;
    this.context.fillStyle = this.ink;
    this.context.lineWidth = 1.25;
    for (let i = 0; i < from.length; i++) {
      if (from[i] === slice || to[i] === slice) this.arrow(from[i]!, to[i]!, view);
    }
  }

  private arrow(from: number, to: number, view: View): void {
    const [y0, y1] = [this.yOf(from), this.yOf(to)];
    const [x0, x1] = [this.x(this.trace.stop[from]!, view), this.x(this.trace.start[to]!, view)];
    if ((x0 < view.gutter && x1 < view.gutter) || (x0 > view.width && x1 > view.width)) return;
    const bend = Math.max(12, Math.abs(x1 - x0) / 3);
    this.context.beginPath();
    this.context.moveTo(x0, y0);
    this.context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
    this.context.stroke();
    this.context.beginPath();
    this.context.moveTo(x1, y1);
    this.context.lineTo(x1 - 7, y1 - 3.5);
    this.context.lineTo(x1 - 7, y1 + 3.5);
    this.context.fill();
  }

  yOf(slice: number): number {
    const lane = this.all.find((l) => l.track && slice >= l.track.first && slice < l.track.end);
    return lane ? lane.y + this.trace.row[slice]! * ROW + ROW / 2 : 0;
  }

  // The axis on top and its lines behind everything.
  private grid(view: View): void {
    const { context } = this;
    const span = view.to - view.from;
    const wanted = Math.max(2, (view.width - view.gutter) / 110);
    const power = 10 ** Math.floor(Math.log10(span / wanted));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => span / s <= wanted)!;
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    const zero = this.trace.from;
    for (let when = zero + Math.ceil((view.from - zero) / step) * step; when <= view.to; when += step) {
      const x = this.x(when, view);
      context.fillStyle = this.rule;
      context.fillRect(x, 0, 1, view.height);
      context.fillStyle = this.dim;
      const text = axisTime(when - zero);
      if (x + context.measureText(text).width + 4 < view.width) context.fillText(text, x + 3, AXIS / 2);
    }
    context.fillText('time', 2, AXIS / 2);
    context.fillStyle = this.rule;
    context.fillRect(0, AXIS - 1, view.width, 1);
  }
}

const axisTime = (ps: number): string => (Math.abs(ps) < 1 ? '0' : format(Math.round(ps), 'ps'));

function luminous(rgb: string): boolean {
  const srgb = /color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)/.exec(rgb);
  const [r, g, b] = srgb
    ? srgb.slice(1).map((v) => 255 * Number(v))
    : (rgb.match(/[\d.]+/g) ?? ['0', '0', '0']).map(Number);
  return 0.299 * r! + 0.587 * g! + 0.114 * b! > 140;
}
