// Can it be trusted: how far every number is from its reference, and how far it may be.

import * as Plot from '@observablehq/plot';
import type { Run, Table } from '../data';
import { h } from '../dom';
import { logAxis, logTicks, plot, plotFigure } from '../figure';
import { csv, sortable } from '../sortable';
import { digits } from '../units';
import type { View } from './view';

const COLUMNS = ['source', 'scenario', 'what', 'reference', 'ours', 'error_percent', 'allowed_percent'];
const LEAST = 1e-3; // percent; what is closer is drawn here, for a logarithmic axis has no 0

const checks = (run: Run): Table | undefined => run.tables.find((t) => t.length > 0 && t.has(...COLUMNS));

interface Check {
  source: string;
  name: string;
  error: number;
  allowed: number;
  passes: boolean;
}

function rows(table: Table): Check[] {
  const [source, scenario, what] = ['source', 'scenario', 'what'].map((c) => table.texts(c)) as [
    string[],
    string[],
    string[],
  ];
  const [error, allowed] = [table.numbers('error_percent'), table.numbers('allowed_percent')];
  return source.map((s, i) => ({
    source: s,
    name: `${scenario[i]}, ${what[i]}`,
    error: Math.abs(error[i]!),
    allowed: allowed[i]!,
    passes: Math.abs(error[i]!) <= allowed[i]! * 1.0000001,
  }));
}

export const validation: View = {
  id: 'validation',
  title: 'Against the references',
  shows: (run) => checks(run) !== undefined,
  draw: (run, host) => {
    const table = checks(run)!;
    const all = rows(table);
    const shown = (percent: number) => Math.max(LEAST, percent);
    const largest = 1.5 * Math.max(100 * LEAST, ...all.map((c) => shown(Math.max(c.error, c.allowed))));
    const exact = all.filter((c) => c.error < LEAST).length;
    plotFigure(host, {
      title: 'How far from the reference',
      caption: `${all.length} numbers, ${exact} of them equal to within ${LEAST} %. A dot is our error, a tick what the reference allows.`,
      draw: (width) =>
        plot({
          width,
          height: 60 + 46 * new Set(all.map((c) => c.source)).size,
          marginLeft: Math.min(width * 0.3, 110),
          x: { type: 'log', label: 'error (%)', domain: [LEAST, largest] },
          y: { label: null, padding: 0.3 },
          marks: [
            logAxis('x', logTicks(LEAST, largest), 'error (%)', (v) => `${v <= LEAST ? '\u2264 ' : ''}${digits(v)}`),
            Plot.tickX(all, {
              x: (c: Check) => shown(c.allowed),
              y: 'source',
              stroke: 'currentColor',
              strokeOpacity: 0.5,
            }),
            Plot.dot(all, {
              x: (c: Check) => shown(c.error),
              y: 'source',
              r: 5,
              fill: (c: Check) => (c.passes ? 'var(--c1)' : 'var(--c4)'),
              fillOpacity: 0.6,
            }),
            Plot.tip(
              all,
              Plot.pointer({
                x: (c: Check) => shown(c.error),
                y: 'source',
                title: (c: Check) => `${c.source}\n${c.name}\n${digits(c.error)} % off, ${digits(c.allowed)} % allowed`,
              }),
            ),
          ],
        }),
      csv: () =>
        csv(
          COLUMNS,
          Array.from({ length: table.length }, (_, r) => COLUMNS.map((c) => table.cell(c, r))),
        ),
    });
    host.append(
      h(
        'details',
        { open: true },
        h('summary', {}, 'Every number'),
        sortable(
          table.columns.map((name) => ({ name })),
          Array.from({ length: table.length }, (_, r) => table.columns.map((c) => table.cell(c, r))),
        ),
      ),
    );
  },
};
