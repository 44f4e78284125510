// How good a trained model is beyond one number: the ROC curve, and whether a click that is predicted with 20 percent
// comes in 20 of 100 cases.

import * as Plot from '@observablehq/plot';
import type { Run, Table } from '../data';
import { h } from '../dom';
import { plot, plotFigure } from '../figure';
import { csv } from '../sortable';
import type { View } from './view';

const find = (run: Run, ...columns: string[]): Table | undefined =>
  run.tables.find((t) => t.length > 1 && t.has(...columns));
const roc = (run: Run) => find(run, 'false_positive_share', 'true_positive_share');
const calibration = (run: Run) => find(run, 'predicted', 'observed', 'samples');

function rocFigure(table: Table, auc: number | undefined, host: HTMLElement): void {
  const [x, y] = [table.numbers('false_positive_share'), table.numbers('true_positive_share')];
  const points = x.map((value, i) => ({ x: value, y: y[i]! }));
  plotFigure(host, {
    title: 'ROC curve',
    caption: `True positives against false positives, at every threshold.${auc === undefined ? '' : ` The area under the curve is ${auc.toFixed(4)}.`} The grey line is random guessing.`,
    draw: (width) =>
      plot({
        width,
        height: 300,
        x: { label: 'false positives, share', domain: [0, 1], grid: true },
        y: { label: 'true positives, share', domain: [0, 1], grid: true },
        marks: [
          Plot.line(
            [
              [0, 0],
              [1, 1],
            ],
            { stroke: 'var(--dim)', strokeDasharray: '4 4' },
          ),
          Plot.line(points, { x: 'x', y: 'y', stroke: 'var(--c1)', strokeWidth: 2, tip: true }),
        ],
      }),
    csv: () =>
      csv(
        ['false_positive_share', 'true_positive_share'],
        points.map((p) => [p.x, p.y]),
      ),
  });
}

function calibrationFigure(table: Table, host: HTMLElement): void {
  const [predicted, observed, samples] = ['predicted', 'observed', 'samples'].map((c) => table.numbers(c));
  const points = predicted!.map((value, i) => ({ x: value, y: observed![i]!, samples: samples![i]! }));
  const most = Math.max(...points.flatMap((p) => [p.x, p.y]), 1e-6);
  plotFigure(host, {
    title: 'Calibration',
    caption: 'Each point is a group of samples of equal size, by predicted probability. On the grey line, predictions are right on average.',
    draw: (width) =>
      plot({
        width,
        height: 300,
        x: { label: 'predicted probability', domain: [0, most], grid: true },
        y: { label: 'observed share of clicks', domain: [0, most], grid: true },
        marks: [
          Plot.line(
            [
              [0, 0],
              [most, most],
            ],
            { stroke: 'var(--dim)', strokeDasharray: '4 4' },
          ),
          Plot.line(points, { x: 'x', y: 'y', stroke: 'var(--c3)' }),
          Plot.dot(points, { x: 'x', y: 'y', fill: 'var(--c3)', r: 3, tip: true, title: (p: (typeof points)[0]) => `${p.samples} samples\npredicted ${p.x.toFixed(4)}\nobserved ${p.y.toFixed(4)}` }),
        ],
      }),
    csv: () =>
      csv(
        ['predicted', 'observed', 'samples'],
        points.map((p) => [p.x, p.y, p.samples]),
      ),
  });
}

export const quality: View = {
  id: 'quality',
  title: 'Quality of the model',
  shows: (run) => roc(run) !== undefined || calibration(run) !== undefined,
  draw: (run, host) => {
    const grid = h('div', { class: 'pair' });
    host.append(grid);
    const curve = roc(run);
    if (curve) rocFigure(curve, run.number('held_out.auc') ?? run.number('auc'), grid);
    const bins = calibration(run);
    if (bins) calibrationFigure(bins, grid);
  },
};
