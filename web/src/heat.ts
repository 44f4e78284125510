// A heat map on a canvas: a cell per row and column, hover and arrow keys tell what is under the cursor. Cells are
// written into an image first, so that a hundred thousand cost as much as ten.

import { h, hideTip, onWidth, showTip } from './dom';
import { figure, pngTool, type Figure } from './figure';
import { color, onTheme, ramp, rampColor } from './theme';

export interface HeatOptions {
  title: string;
  caption?: string;
  rows: number;
  columns: number;
  value: (row: number, column: number) => number; // NaN: nothing there
  max: number;
  floor?: number; // where on the ramp 0 stands, if not at its start: so that it differs from nothing
  color?: (value: number) => [number, number, number]; // instead of the ramp: values are names
  cellText?: (row: number, column: number) => string; // where cells have room for it
  legend: [string, string]; // of 0 and of max
  rowLabel: (row: number) => string;
  columnLabel: (column: number) => string;
  xTitle: string;
  yTitle: string;
  tip: (row: number, column: number) => string[];
  square?: boolean;
  rowHeight?: number;
  everyRow?: boolean; // rows are named one by one where there is room
  xTicks?: { at: number; text: string }[]; // in columns, from the left edge; instead of names of columns
}

export interface Heat extends Figure {
  update: (options: HeatOptions) => void;
}

export function heatFigure(host: HTMLElement, first: HeatOptions): Heat {
  let options = first;
  const frame = figure(options.title, options.caption);
  host.append(frame.root);
  const canvas = h('canvas', { tabindex: 0, role: 'img', class: 'heat' });
  frame.body.append(canvas);
  let width = 0;
  let plot = { left: 0, top: 0, width: 0, height: 0 };
  let cursor: [number, number] | null = null;

  const share = (part: number) => (options.floor ?? 0) + (1 - (options.floor ?? 0)) * Math.max(0, Math.min(1, part));
  const layout = () => {
    const narrow = width < 480;
    const longest = Math.max(
      ...Array.from({ length: Math.min(options.rows, 400) }, (_, r) => options.rowLabel(r).length),
    );
    const left = Math.min(narrow ? 84 : 150, 32 + 7 * longest);
    const inner = width - left - 8;
    const rowHeight = options.rowHeight ?? 12;
    const size = options.square ? Math.min(inner, 520) : inner;
    const height = options.square ? size : Math.min(640, Math.max(60, options.rows * rowHeight));
    plot = { left, top: 8, width: size, height };
  };

  const paint = () => {
    if (width === 0) return;
    layout();
    const ratio = window.devicePixelRatio || 1;
    const total = plot.top + plot.height + 44 + 30;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(total * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${total}px`;
    canvas.setAttribute(
      'aria-label',
      `${options.title}. ${options.rows} by ${options.columns} cells, from ${options.legend[0]} to ${options.legend[1]}.`,
    );
    const context = canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, total);
    cells(context);
    labels(context);
    legend(context);
    if (cursor) outline(context, cursor);
  };

  const cells = (context: CanvasRenderingContext2D) => {
    const table = ramp();
    const image = new ImageData(options.columns, options.rows);
    for (let r = 0; r < options.rows; r++) {
      for (let c = 0; c < options.columns; c++) {
        const value = options.value(r, c);
        if (Number.isNaN(value)) continue;
        const from = 3 * Math.round(255 * share(options.max > 0 ? value / options.max : 0));
        const to = 4 * (r * options.columns + c);
        const [red, green, blue] = options.color?.(value) ?? [table[from]!, table[from + 1]!, table[from + 2]!];
        image.data.set([red, green, blue, 255], to);
      }
    }
    const small = h('canvas', { width: options.columns, height: options.rows });
    small.getContext('2d')!.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = options.columns > 2 * plot.width || options.rows > 2 * plot.height;
    context.drawImage(small, plot.left, plot.top, plot.width, plot.height);
    context.strokeStyle = color('--rule');
    context.lineWidth = 1;
    context.strokeRect(plot.left - 0.5, plot.top - 0.5, plot.width + 1, plot.height + 1);
    texts(context);
  };

  const texts = (context: CanvasRenderingContext2D) => {
    const [wide, tall] = [plot.width / options.columns, plot.height / options.rows];
    if (!options.cellText || wide < 14 || tall < 9) return;
    context.fillStyle = color('--ink');
    context.font = `${Math.min(11, Math.floor(tall))}px system-ui, sans-serif`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (let r = 0; r < options.rows; r++)
      for (let c = 0; c < options.columns; c++)
        context.fillText(options.cellText(r, c), plot.left + (c + 0.5) * wide, plot.top + (r + 0.5) * tall);
  };

  const labels = (context: CanvasRenderingContext2D) => {
    context.fillStyle = color('--ink');
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    const each = plot.height / options.rows;
    const rowStep = options.everyRow && each >= 10 ? 1 : niceStep(options.rows, Math.max(2, plot.height / 28));
    for (let r = 0; r < options.rows; r += rowStep) {
      context.fillText(
        fitMiddle(context, options.rowLabel(r), plot.left - 24),
        plot.left - 6,
        plot.top + (r + 0.5) * each,
      );
    }
    context.textAlign = 'center';
    context.textBaseline = 'top';
    const inEach = plot.width / options.columns;
    for (const tick of options.xTicks ?? []) {
      const x = plot.left + tick.at * inEach;
      context.fillRect(x - 0.5, plot.top + plot.height, 1, 4);
      context.fillText(tick.text, Math.max(plot.left + 8, x), plot.top + plot.height + 6);
    }
    const columnStep = niceStep(options.columns, Math.max(2, plot.width / 70));
    for (let c = 0; !options.xTicks && c < options.columns; c += columnStep) {
      context.fillText(
        options.columnLabel(c),
        Math.max(plot.left + 8, plot.left + ((c + 0.5) * plot.width) / options.columns),
        plot.top + plot.height + 6,
      );
    }
    context.fillStyle = color('--dim');
    context.fillText(options.xTitle, plot.left + plot.width / 2, plot.top + plot.height + 22);
    context.save();
    context.translate(9, plot.top + plot.height / 2);
    context.rotate(-Math.PI / 2);
    context.textBaseline = 'middle';
    context.fillText(options.yTitle, 0, 0);
    context.restore();
  };

  const legend = (context: CanvasRenderingContext2D) => {
    if (options.color) return; // numbers in the cells, and the tip, say more
    const table = ramp();
    const y = plot.top + plot.height + 48;
    const length = Math.min(160, plot.width / 2.5);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = color('--ink');
    context.textAlign = 'left';
    context.fillText(options.legend[0], plot.left, y + 6);
    const x = plot.left + context.measureText(options.legend[0]).width + 8;
    for (let i = 0; i < length; i++) {
      context.fillStyle = rampColor(table, share(i / (length - 1)));
      context.fillRect(x + i, y, 1.5, 12);
    }
    context.fillStyle = color('--ink');
    context.fillText(options.legend[1], x + length + 8, y + 6);
  };

  const outline = (context: CanvasRenderingContext2D, [r, c]: [number, number]) => {
    context.strokeStyle = color('--ink');
    context.lineWidth = 1.5;
    const w = plot.width / options.columns;
    const t = plot.height / options.rows;
    context.strokeRect(plot.left + c * w - 0.75, plot.top + r * t - 0.75, Math.max(w, 2) + 1.5, Math.max(t, 2) + 1.5);
  };

  const at = (event: MouseEvent): [number, number] | null => {
    const box = canvas.getBoundingClientRect();
    const c = Math.floor(((event.clientX - box.left - plot.left) / plot.width) * options.columns);
    const r = Math.floor(((event.clientY - box.top - plot.top) / plot.height) * options.rows);
    return c >= 0 && r >= 0 && c < options.columns && r < options.rows ? [r, c] : null;
  };
  const move = (cell: [number, number] | null, x: number, y: number) => {
    cursor = cell;
    paint();
    if (cell) showTip(x, y, options.tip(...cell));
    else hideTip();
  };
  canvas.addEventListener('pointermove', (event) => {
    const cell = at(event);
    if (cell?.join() !== cursor?.join()) move(cell, event.clientX, event.clientY);
    else if (cell) showTip(event.clientX, event.clientY, options.tip(...cell));
  });
  canvas.addEventListener('pointerleave', () => move(null, 0, 0));
  canvas.addEventListener('blur', () => move(null, 0, 0));
  canvas.addEventListener('keydown', (event) => {
    const step: { [key: string]: [number, number] } = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    };
    const by = step[event.key];
    if (event.key === 'Escape') move(null, 0, 0);
    if (!by) return;
    event.preventDefault();
    const from = cursor ?? [0, -by[1]];
    const cell: [number, number] = [
      Math.max(0, Math.min(options.rows - 1, from[0] + by[0])),
      Math.max(0, Math.min(options.columns - 1, from[1] + by[1])),
    ];
    const box = canvas.getBoundingClientRect();
    move(
      cell,
      box.left + plot.left + ((cell[1] + 0.5) * plot.width) / options.columns,
      box.top + plot.top + ((cell[0] + 0.5) * plot.height) / options.rows,
    );
  });
  onWidth(frame.body, (now) => {
    width = now;
    paint();
  });
  onTheme(paint);
  pngTool(frame, options.title, () => canvas);
  return {
    ...frame,
    update: (next) => {
      options = next;
      cursor = null;
      paint();
    },
  };
}

// Steps of 1, 2, 5, 10, ... such that about `wanted` of them fit.
function niceStep(count: number, wanted: number): number {
  const raw = Math.max(1, count / wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  return Math.max(
    1,
    [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw)!,
  );
}

// Cut in the middle: the ends tell "dimension 0" from "dimension 1".
export function fitMiddle(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  for (let keep = text.length - 1; keep > 2; keep--) {
    const short = `${text.slice(0, Math.floor(keep / 2))}\u2026${text.slice(-Math.ceil(keep / 2))}`;
    if (context.measureText(short).width <= room) return short;
  }
  return '';
}

export function fit(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let keep = text.length;
  while (keep > 1 && context.measureText(text.slice(0, keep) + '\u2026').width > room) keep--;
  return keep > 1 ? text.slice(0, keep) + '\u2026' : '';
}
