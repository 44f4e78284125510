// A run that is under way: how far it is, and of training the loss and the held-out AUC by steps so far.

import { h } from '../dom';
import type { Run } from './select';

interface Step {
  step: number;
  loss: number;
  auc: number | null;
}

const kMost = 400; // points that a curve is drawn with

// The lines of metrics.jsonl; the last may be half written.
export function steps(text: string): Step[] {
  const found: Step[] = [];
  for (const line of text.split('\n')) {
    try {
      const one = JSON.parse(line) as { step?: number; loss?: number; held_out_auc?: number };
      if (typeof one.step === 'number' && typeof one.loss === 'number')
        found.push({ step: one.step, loss: one.loss, auc: one.held_out_auc ?? null });
    } catch {
      continue;
    }
  }
  return found;
}

function path(points: [number, number][], width: number, height: number): string {
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  return points
    .map(([x, y], i) => {
      const px = ((x - x0) / (x1 - x0 || 1)) * width;
      const py = height - ((y - y0) / (y1 - y0 || 1)) * (height - 4) - 2;
      return `${i === 0 ? 'M' : 'L'}${px.toFixed(1)},${py.toFixed(1)}`;
    })
    .join('');
}

function curve(title: string, points: [number, number][], ink: string): HTMLElement {
  const every = Math.max(1, Math.ceil(points.length / kMost));
  const drawn = points.filter((_, i) => i % every === 0 || i === points.length - 1);
  const last = points.at(-1)![1];
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 400 120');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${title} by step`);
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', path(drawn, 400, 120));
  line.setAttribute('fill', 'none');
  line.setAttribute('stroke', `var(${ink})`);
  line.setAttribute('stroke-width', '2');
  line.setAttribute('vector-effect', 'non-scaling-stroke');
  svg.append(line);
  return h('figure', { class: 'curve' }, h('figcaption', {}, `${title}: ${last.toPrecision(5)}`), svg as unknown as Node);
}

export async function liveView(host: HTMLElement, run: Run, folder: string, close: () => void): Promise<void> {
  const parts: HTMLElement[] = [
    h(
      'div',
      { class: 'head' },
      h('h2', {}, run.name || run.path),
      h('button', { type: 'button', onclick: close }, 'Close'),
    ),
    h('p', { class: 'progress' }, run.state === 'running' ? `${run.kind}: ${run.progress}` : `${run.kind}: ${run.state}`),
  ];
  const share = /(\d+) of (\d+)/.exec(run.progress);
  if (share) parts.push(h('progress', { value: Number(share[1]), max: Number(share[2]) }));
  if (run.kind === 'train') {
    const answer = await fetch(`${folder}metrics.jsonl`);
    const known = answer.ok ? steps(await answer.text()) : [];
    const aucs = known.filter((s) => s.auc !== null).map((s): [number, number] => [s.step, s.auc!]);
    if (known.length > 1) parts.push(curve('Loss', known.map((s) => [s.step, s.loss]), '--c1'));
    if (aucs.length > 1) parts.push(curve('Held-out AUC', aucs, '--c3'));
  }
  host.replaceChildren(...parts);
}
