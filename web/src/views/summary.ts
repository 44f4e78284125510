// The numbers of a run: the few that matter as cards, all of them as a table, the setup, the files.

import type { Cell, Json, Run } from '../data';
import { copy, h } from '../dom';
import { sortable } from '../sortable';
import { format, formatNamed, quantity } from '../units';
import type { View } from './view';

const HEADLINES = [
  'held_out.auc',
  'held_out.log_loss',
  'best.auc',
  'busbw_GB_per_s',
  'average_busbw_GB_per_s',
  'iteration_us',
  'makespan_us',
  'finished_us',
  'compute_us',
  'exposed_communication_us',
  'fct_mean_us',
  'fct_p99_us',
  'slowdown_p99',
  'goodput_gbps',
  'fairness',
  'busiest_link_utilisation',
  'peak_queue_bytes',
  'drops',
  'auc',
  'log_loss',
  'logloss',
  'accuracy',
  'normalized_entropy',
  'calibration',
  'samples',
  'loss',
  'last_loss',
  'final_loss',
  'samples_per_s',
  'samples_per_second',
  'hit_rate',
  'checks',
  'failed',
  'network_cost_dollars',
  'npus',
  'hosts',
  'flows',
  'points',
  'finished',
];
const MINOR = ['seconds', 'evaluation_seconds', 'steps', 'simulated_us'];
const MOST_CARDS = 10; // of those that we know to matter
const FEW_CARDS = 8; // filled up with others to so many

export function headline(run: Run): string[] {
  if (run.packed.study) return []; // its numbers are in its claims and figures
  const have = run.numbers().map(([key]) => key);
  const known = HEADLINES.filter((key) => have.includes(key));
  const others = have.filter((key) => !known.includes(key) && !MINOR.includes(key) && quantity(key).unit !== '');
  return [...known.slice(0, MOST_CARDS), ...others.slice(0, Math.max(0, FEW_CARDS - known.length))];
}

export function cards(run: Run): HTMLElement {
  return h(
    'div',
    { class: 'cards' },
    ...headline(run).map((key) => {
      const value = run.number(key)!;
      return h(
        'div',
        { class: 'card', title: `${key}: ${value}` },
        h('div', { class: 'label' }, label(key)),
        h(
          'div',
          { class: 'value', 'data-key': key, 'data-value': value },
          formatNamed(key, value).replace('\u00a0', ' '),
        ),
      );
    }),
  );
}

export function remarks(run: Run): HTMLElement {
  const caveats = run.packed.summary?.['caveats'];
  const notes = [
    ...(Array.isArray(caveats) ? caveats.map(String) : []),
    ...run.packed.notes,
    ...run.tables
      .filter((t) => t.cut)
      .map(
        (t) =>
          `${t.file} has ${t.packed.rows.toLocaleString('en')} rows; this page shows one of ${Math.round(t.packed.rows / t.length)}.`,
      ),
  ];
  const why = run.packed.study ? undefined : run.text('why'); // a study has its headline
  return h(
    'div',
    {},
    why ? h('p', { class: 'why' }, h('strong', {}, 'Why: '), why) : null,
    ...notes.map((note) => h('p', { class: 'note' }, note)),
  );
}

// Every number and short text under the keys that lead to it, lists by position.
function flatten(value: Json, key: string, out: [string, Cell][]): void {
  if (value === null || typeof value === 'boolean') out.push([key, value === null ? 'none' : String(value)]);
  else if (typeof value === 'number') out.push([key, value]);
  else if (typeof value === 'string') out.push([key, value]);
  else if (Array.isArray(value)) value.forEach((item, i) => flatten(item, `${key}.${i}`, out));
  else for (const [name, member] of Object.entries(value)) flatten(member, key ? `${key}.${name}` : name, out);
}

export const numbers: View = {
  id: 'numbers',
  title: 'All numbers',
  shows: (run) => run.packed.summary !== null,
  draw: (run, host) => {
    const rows: [string, Cell][] = [];
    for (const [key, value] of Object.entries(run.packed.summary!)) if (key !== 'setup_yaml') flatten(value, key, rows);
    host.append(
      h(
        'details',
        { open: rows.length <= 40 },
        h('summary', {}, `summary.json: ${rows.length} values`),
        sortable(
          [
            { name: 'key', heading: 'what', show: (key) => h('span', { title: String(key) }, label(String(key))) },
            {
              name: 'value',
              heading: 'value',
              show: (value, row) =>
                typeof value === 'number'
                  ? h('span', { 'data-key': rows[row]![0], 'data-value': value }, formatNamed(rows[row]![0], value))
                  : String(value ?? ''),
            },
          ],
          rows.map(([key, value]) => [key, value]),
        ),
      ),
    );
    const setup = run.text('setup_yaml');
    if (setup) {
      const button: HTMLElement = h(
        'button',
        { class: 'quiet', type: 'button', onclick: () => void copy(setup, button) },
        'Copy',
      );
      host.append(
        h(
          'details',
          {},
          h('summary', {}, 'The setup as it was run'),
          h('pre', { tabindex: 0 }, setup),
          h('div', { class: 'tools' }, button),
        ),
      );
    }
    files(run, host);
  },
};

export const label = (key: string): string => {
  if (key.startsWith('held_out.')) return `held-out ${quantity(key.slice('held_out.'.length)).label}`;
  if (key.startsWith('best.')) return `best ${quantity(key.slice('best.'.length)).label}`;
  return key
    .split('.')
    .map((part, i, all) => (i === all.length - 1 ? quantity(part).label : part.replaceAll('_', ' ')))
    .join(' \u203a ');
};

function files(run: Run, host: HTMLElement): void {
  if (run.packed.files.length === 0) return;
  const rows: Cell[][] = run.packed.files.map((f) => [f.name, f.bytes]);
  host.append(
    h(
      'details',
      {},
      h('summary', {}, `Files in the folder ${run.packed.folder}`),
      sortable(
        [
          {
            name: 'file',
            show: (name) =>
              run.alone ? h('a', { href: encodeURIComponent(String(name)) }, String(name)) : String(name),
          },
          { name: 'size_bytes', show: (bytes) => format(Number(bytes), 'B') },
        ],
        rows,
      ),
      run.packed.files.some((f) => f.name.startsWith('trace'))
        ? h(
            'p',
            { class: 'dim' },
            'To see the timeline in Perfetto, open ',
            h('a', { href: 'https://ui.perfetto.dev', rel: 'noreferrer' }, 'ui.perfetto.dev'),
            `, choose \u201cOpen trace file\u201d and take ${run.packed.folder}/trace.json.gz. Chrome (about:tracing) and HTA read it too; HTA rounds below a microsecond unless HTA_DISABLE_NS_ROUNDING=1 is set.`,
          )
        : null,
    ),
  );
}

// Tables that no other view has shown.
export function otherTables(run: Run, shown: (file: string) => boolean, host: HTMLElement): void {
  const rest = run.tables.filter((t) => t.length > 0 && !shown(t.file));
  for (const table of rest) {
    const limit = Math.min(table.length, 5000);
    host.append(
      h(
        'details',
        { open: table.length <= 20 },
        h('summary', {}, `${table.file}: ${table.packed.rows.toLocaleString('en')} rows`),
        sortable(
          table.columns.map((name) => ({ name })),
          Array.from({ length: limit }, (_, r) => table.columns.map((c) => table.cell(c, r))),
        ),
      ),
    );
  }
}
