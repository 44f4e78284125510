// The timeline: zoom with Ctrl + wheel, pinch, buttons or keys; drag to pan; hover and click for details; search.

import type { PackedTrace } from '../data';
import { h, hideTip, onWidth, showTip } from '../dom';
import { figure, pngTool } from '../figure';
import { onTheme } from '../theme';
import { format } from '../units';
import { AXIS, lanes, Painter, ROW, type View } from './draw';
import { details, lowerBound, search, unpack, KINDS } from './model';

const TALLEST = 460;
const CLOSEST = 1000; // picoseconds across the view

// What the tests measure: when the first frame was done, since the page was opened, and how long the last one took (ms).
declare global {
  interface Window {
    overtureTimeline?: { painted: number; frame: number; zoom: (factor: number) => number; slices: number };
  }
}

export function timeline(host: HTMLElement, packed: PackedTrace): void {
  const trace = unpack(packed);
  const layout = lanes(trace);
  const title = 'What ran when';
  const frame = figure(
    title,
    'Drag to move, Ctrl + wheel or pinch to zoom, click a slice for its details and arrows. Keys: arrows or A D move, + \u2212 or W S zoom, 0 shows all.',
  );
  host.append(frame.root);
  const canvas = h('canvas', {
    tabindex: 0,
    role: 'application',
    'aria-label': `Timeline of ${trace.start.length} slices on ${trace.tracks.length} streams. Arrow keys move, plus and minus zoom.`,
  });
  const scroller = h('div', { class: 'timeline-scroll', tabindex: -1 }, h('div', { class: 'timeline-tall' }), canvas);
  const picked = h('div', { class: 'picked', role: 'status' });
  frame.body.append(scroller, legend(trace.tone), picked);
  const height = Math.min(TALLEST, layout.height + AXIS + 4);
  scroller.style.height = `${height}px`;
  (scroller.firstElementChild as HTMLElement).style.height = `${layout.height + AXIS + 4}px`;

  const context = canvas.getContext('2d')!;
  const painter = new Painter(context, trace, layout.lanes);
  const margin = (trace.to - trace.from) * 0.01 || 1;
  const whole: [number, number] = [trace.from - margin, trace.to + margin];
  const view: View = {
    width: 0,
    height,
    gutter: 0,
    from: whole[0],
    to: whole[1],
    scroll: 0,
    found: null,
    hovered: -1,
    picked: -1,
  };
  let waiting = false;

  const paint = (): number => {
    waiting = false;
    if (view.width === 0) return 0;
    const began = performance.now();
    painter.paint(view);
    const took = performance.now() - began;
    const measured = window.overtureTimeline;
    if (measured) {
      measured.frame = took;
      measured.painted ||= performance.now();
    }
    return took;
  };
  const later = () => {
    if (!waiting) requestAnimationFrame(paint);
    waiting = true;
  };
  const look = (from: number, to: number) => {
    const span = Math.max(CLOSEST, Math.min(to - from, whole[1] - whole[0]));
    view.from = Math.max(whole[0], Math.min(from, whole[1] - span));
    view.to = view.from + span;
    later();
  };
  const zoom = (factor: number, x = (view.gutter + view.width) / 2) => {
    const share = Math.max(0, Math.min(1, (x - view.gutter) / (view.width - view.gutter)));
    const centre = view.from + share * (view.to - view.from);
    const span = Math.max(CLOSEST, (view.to - view.from) * factor);
    look(centre - share * span, centre + (1 - share) * span);
  };
  const pan = (share: number) =>
    look(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
  const all = () => look(...whole);
  window.overtureTimeline = {
    painted: 0,
    frame: 0,
    slices: trace.start.length,
    zoom: (factor) => {
      zoom(factor);
      return paint();
    },
  };

  onWidth(frame.body, (width) => {
    const ratio = window.devicePixelRatio || 1;
    view.width = width - (layout.height + AXIS > height ? 12 : 0);
    view.gutter = painter.gutter(view.width);
    canvas.width = Math.round(view.width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${view.width}px`;
    canvas.style.height = `${height}px`;
    paint();
  });
  onTheme(() => {
    painter.theme();
    paint(); // at once: a printer does not wait for the next frame
  });
  scroller.addEventListener('scroll', () => {
    view.scroll = scroller.scrollTop;
    later();
  });

  const sliceAt = (event: MouseEvent): number => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top - AXIS + view.scroll];
    if (x < view.gutter || event.clientY - box.top < AXIS) return -1;
    const lane = layout.lanes.find((l) => l.track && y >= l.y && y < l.y + l.height);
    if (!lane?.track) return -1;
    const row = Math.floor((y - lane.y) / ROW);
    const per = (view.to - view.from) / (view.width - view.gutter);
    const when = view.from + (x - view.gutter) * per;
    // Up to a pixel off counts, or short ones could not be hit.
    for (
      let i = lowerBound(trace.start, lane.track.first, lane.track.end, when + per) - 1;
      i >= lane.track.first;
      i--
    ) {
      if (trace.row[i] === row && trace.stop[i]! >= when - per) return i;
      if (trace.row[i] === row || trace.row[i] === 0) break;
    }
    return -1;
  };
  const describe = (slice: number): string[] => [
    trace.names[trace.name[slice]!]!,
    `${format(trace.stop[slice]! - trace.start[slice]!, 'ps')}, from ${format(trace.start[slice]! - trace.from, 'ps')}`,
    ...details(trace, slice).map(([name, value]) => `${name}: ${value}`),
  ];
  const pick = (slice: number) => {
    view.picked = slice;
    picked.replaceChildren();
    if (slice >= 0) {
      const [name, when, ...rest] = describe(slice);
      picked.append(h('strong', {}, name!), ` \u2014 ${when}`, h('div', { class: 'dim' }, rest.join(' \u00b7 ')));
    }
    later();
  };

  pointers(canvas, {
    drag: (dx, dy) => {
      pan(-dx / (view.width - view.gutter));
      if (dy !== 0) scroller.scrollTop -= dy;
    },
    pinch: zoom,
    tap: (event) => pick(sliceAt(event)),
    hover: (event) => {
      const slice = sliceAt(event);
      if (slice !== view.hovered) {
        view.hovered = slice;
        later();
      }
      if (slice >= 0) showTip(event.clientX, event.clientY, describe(slice));
      else hideTip();
    },
    leave: () => {
      view.hovered = -1;
      hideTip();
      later();
    },
  });
  canvas.addEventListener('dblclick', (event) => zoom(0.5, event.clientX - canvas.getBoundingClientRect().left));
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoom(Math.exp(event.deltaY * 0.003), event.clientX - canvas.getBoundingClientRect().left);
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        pan((event.deltaX || event.deltaY) / (view.width - view.gutter));
      }
    },
    { passive: false },
  );

  const next = (step: number) => {
    if (!view.found) return;
    const count = view.found.length;
    for (let k = 1, i = view.picked; k <= count; k++) {
      i = (i + step + count) % count;
      if (!view.found[i]) continue;
      pick(i);
      const span = Math.min(view.to - view.from, Math.max((trace.stop[i]! - trace.start[i]!) * 20, CLOSEST));
      const middle = (trace.start[i]! + trace.stop[i]!) / 2;
      look(middle - span / 2, middle + span / 2);
      scroller.scrollTop = painter.yOf(i) - height / 2;
      return;
    }
  };
  canvas.addEventListener('keydown', (event) => {
    const actions: { [key: string]: () => void } = {
      ArrowLeft: () => pan(-0.2),
      a: () => pan(-0.2),
      ArrowRight: () => pan(0.2),
      d: () => pan(0.2),
      '+': () => zoom(0.6),
      '=': () => zoom(0.6),
      w: () => zoom(0.6),
      '-': () => zoom(1 / 0.6),
      s: () => zoom(1 / 0.6),
      '0': all,
      f: all,
      n: () => next(1),
      Escape: () => pick(-1),
      ArrowUp: () => (scroller.scrollTop -= 60),
      ArrowDown: () => (scroller.scrollTop += 60),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });

  const hits = h('span', { class: 'dim', role: 'status' });
  const box = h('input', {
    type: 'search',
    placeholder: 'Search \u2026',
    'aria-label': 'Search slices',
    oninput: () => {
      const result = box.value.trim() === '' ? null : search(trace, box.value.trim());
      view.found = result ? result.found : null;
      hits.textContent = result ? `${result.count.toLocaleString('en')} found` : '';
      later();
    },
    onkeydown: (event: KeyboardEvent) => event.key === 'Enter' && next(event.shiftKey ? -1 : 1),
  });
  const button = (label: string, title: string, action: () => void) =>
    h('button', { type: 'button', title, 'aria-label': title, onclick: action }, label);
  frame.controls.append(
    box,
    hits,
    button('+', 'Zoom in', () => zoom(0.5)),
    button('\u2212', 'Zoom out', () => zoom(2)),
    button('All', 'Show all', all),
  );
  pngTool(frame, title, () => canvas);
  const notes = [...packed.notes];
  if (packed.kept < packed.slices)
    notes.push(
      `These are the ${packed.kept.toLocaleString('en')} longest of ${packed.slices.toLocaleString('en')} slices; trace.json.gz has all.`,
    );
  for (const note of notes) frame.body.append(h('p', { class: 'note' }, note));
}

function legend(tone: Uint8Array): HTMLElement {
  const present = new Set(
    Array.from({ length: 4 }, (_, k) => k).filter((k) => tone.some((t) => Math.floor(t / 3) === k)),
  );
  const names = ['--compute', '--exposed', '--c3', '--dim'];
  return h(
    'div',
    { class: 'legend' },
    ...[...present].map((k) => h('span', {}, h('i', { style: `background:var(${names[k]})` }), KINDS[k]!)),
  );
}

// Mouse, pen and touch alike: one pointer drags or taps, two pinch.
function pointers(
  canvas: HTMLCanvasElement,
  on: {
    drag: (dx: number, dy: number) => void;
    pinch: (factor: number, x: number) => void;
    tap: (event: PointerEvent) => void;
    hover: (event: PointerEvent) => void;
    leave: () => void;
  },
): void {
  const down = new Map<number, PointerEvent>();
  let moved = 0;
  canvas.addEventListener('pointerdown', (event) => {
    down.set(event.pointerId, event);
    moved = 0;
    if (event.pointerType === 'mouse') canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = down.get(event.pointerId);
    if (!before) {
      if (event.pointerType === 'mouse') on.hover(event);
      return;
    }
    const other = [...down.values()].find((e) => e.pointerId !== event.pointerId);
    if (other) {
      const distance = (e: PointerEvent) => Math.max(20, Math.abs(e.clientX - other.clientX));
      on.pinch(
        distance(before) / distance(event),
        (event.clientX + other.clientX) / 2 - canvas.getBoundingClientRect().left,
      );
      moved = 99;
    } else {
      const dx = event.clientX - before.clientX;
      moved += Math.abs(dx) + Math.abs(event.clientY - before.clientY);
      if (moved > 3) on.drag(dx, event.pointerType === 'mouse' ? event.clientY - before.clientY : 0);
    }
    down.set(event.pointerId, event);
  });
  const up = (event: PointerEvent) => {
    if (down.delete(event.pointerId) && moved <= 3 && event.type === 'pointerup') on.tap(event);
  };
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('pointerleave', on.leave);
}
