// Who talks to whom: a matrix of bytes, by kind of traffic where the run tells kinds apart; and the optical schedule,
// which says who could talk to whom when.

import type { Table } from '../data';
import { select } from '../dom';
import { heatFigure, type HeatOptions } from '../heat';
import { format } from '../units';
import { isDark } from '../theme';
import type { View } from './view';

export const traffic: View = {
  id: 'traffic',
  title: 'Traffic',
  shows: (run) => run.packed.traffic !== null,
  draw: (run, host) => {
    const { hosts, group, kinds } = run.packed.traffic!;
    const cells = Math.ceil(hosts / group);
    const span = (cell: number) =>
      group === 1 ? `${cell}` : `${cell * group}\u2013${Math.min(hosts, (cell + 1) * group) - 1}`;
    const sum = kinds[0]!.bytes.map((_, i) => kinds.reduce((s, k) => s + k.bytes[i]!, 0));
    const of = (kind: string) => kinds.find((k) => k.name === kind)?.bytes ?? sum;
    const names = kinds.length > 1 ? ['all traffic', ...kinds.map((k) => k.name)] : [kinds[0]!.name];
    let kind = names[0]!;
    const positive = of(kind)
      .filter((b) => b > 0)
      .sort((a, b) => a - b);
    // A ring's neighbours would outshine an all-to-all.
    let steps =
      positive[positive.length - 1]! > 20 * positive[Math.floor(positive.length / 2)]! ? 'logarithmic' : 'linear';
    const options = (): HeatOptions => {
      const bytes = of(kind);
      const max = bytes.reduce((a, b) => Math.max(a, b), 0);
      const least = bytes.reduce((a, b) => (b > 0 && b < a ? b : a), max) / 2;
      const log = steps === 'logarithmic' && max > 0;
      const total = bytes.reduce((a, b) => a + b, 0);
      return {
        title: 'Traffic matrix',
        caption: `${format(total, 'B')} in all.${group > 1 ? ` A cell is ${group} by ${group} hosts.` : ''}`,
        rows: cells,
        columns: cells,
        value: (r, c) => (log ? Math.log(Math.max(bytes[r * cells + c]!, least) / least) : bytes[r * cells + c]!),
        max: log ? Math.log(max / least) : max,
        legend: [log ? `${format(2 * least, 'B')} or less` : '0', format(max, 'B')],
        rowLabel: span,
        columnLabel: (c) => String(c * group),
        xTitle: 'to host',
        yTitle: 'from host',
        tip: (r, c) => [`${span(r)} \u2192 ${span(c)}`, format(bytes[r * cells + c]!, 'B')],
        square: true,
      };
    };
    const heat = heatFigure(host, options());
    if (names.length > 1)
      heat.controls.append(
        select('Show', names, kind, (k) => {
          kind = k;
          heat.update(options());
        }),
      );
    heat.controls.append(
      select('Scale', ['linear', 'logarithmic'], steps, (s) => {
        steps = s;
        heat.update(options());
      }),
    );
  },
};

const slotColumn = (table: Table) => ['slot', 'slice'].find((name) => table.has(name));
const rotorColumn = (table: Table) => ['rotor', 'uplink', 'switch'].find((name) => table.has(name));
const isSchedule = (table: Table) => table.length > 0 && slotColumn(table) !== undefined && table.has('tor', 'peer');

// Numbers of ToRs are names, not amounts: neighbours get colours that are far apart (steps of the golden angle).
function torColor(tor: number): [number, number, number] {
  const hue = (tor * 137.508) % 360;
  const lightness = (isDark() ? 0.42 : 0.74) + 0.08 * (tor % 2);
  const chroma = (1 - Math.abs(2 * lightness - 1)) * 0.6;
  const part = (shift: number) => {
    const k = (shift + hue / 30) % 12;
    return Math.round(255 * (lightness - (chroma / 2) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}

export const schedule: View = {
  id: 'schedule',
  title: 'Optical schedule',
  shows: (run) => run.tables.some(isSchedule),
  draw: (run, host) => {
    const table = run.tables.find(isSchedule)!;
    const [slot, tor, peer] = [table.numbers(slotColumn(table)!), table.numbers('tor'), table.numbers('peer')];
    const rotor = rotorColumn(table) ? table.texts(rotorColumn(table)!) : slot.map(() => '0');
    const rotors = [...new Set(rotor)];
    const [slots, tors] = [1 + slot.reduce((a, b) => Math.max(a, b), 0), 1 + tor.reduce((a, b) => Math.max(a, b), 0)];
    const options = (chosen: string): HeatOptions => {
      const cells = new Float64Array(slots * tors).fill(NaN);
      slot.forEach((s, i) => {
        if (rotor[i] === chosen && peer[i]! >= 0) cells[tor[i]! * slots + s] = peer[i]!;
      });
      return {
        title: 'Who faces whom, slot by slot',
        caption: 'The number, and its colour, is that of the ToR on the other side; an empty cell is dark.',
        rows: tors,
        columns: slots,
        value: (r, c) => cells[r * slots + c]!,
        max: Math.max(1, tors - 1),
        color: (peer) => torColor(peer),
        cellText: (r, c) => (Number.isNaN(cells[r * slots + c]!) ? '' : String(cells[r * slots + c])),
        legend: ['ToR 0', `ToR ${tors - 1}`],
        rowLabel: (r) => `ToR ${r}`,
        columnLabel: (c) => String(c),
        xTitle: 'slot',
        yTitle: '',
        tip: (r, c) => [
          `slot ${c}, ToR ${r}`,
          Number.isNaN(cells[r * slots + c]!)
            ? 'dark'
            : cells[r * slots + c] === r
              ? 'to itself'
              : `to ToR ${cells[r * slots + c]}`,
          `rotor ${chosen}`,
        ],
        rowHeight: Math.max(4, Math.min(24, 640 / tors)),
        everyRow: true,
      };
    };
    const heat = heatFigure(host, options(rotors[0]!));
    if (rotors.length > 1) heat.controls.append(select('Rotor', rotors, rotors[0]!, (r) => heat.update(options(r))));
  },
};
