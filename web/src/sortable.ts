// A table that sorts by a click or Enter on a heading, shows a bounded number of rows, and copies itself as CSV.

import type { Cell } from './data';
import { copy, h } from './dom';
import { formatNamed, quantity } from './units';

const SHOWN = 50;

// Would not fit a line beside other columns.
const isLong = (value: Cell) => typeof value === 'string' && value.length > 48;

export interface Column {
  name: string; // with its unit, as in the files
  heading?: string;
  show?: (value: Cell, row: number) => string | HTMLElement;
}

export function csv(columns: string[], rows: Cell[][]): string {
  const quote = (cell: Cell) => {
    const text = cell === null ? '' : String(cell);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(quote).join(',')).join('\n') + '\n';
}

function compare(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a === null || a === '') return 1;
  if (b === null || b === '') return -1;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

export function sortable(columns: Column[], rows: Cell[][], caption = ''): HTMLElement {
  const order = rows.map((_, i) => i);
  let sorted = -1;
  let down = false;
  let all = rows.length <= SHOWN;
  const numeric = columns.map((_, c) => rows.some((r) => typeof r[c] === 'number'));
  const head = h('tr');
  const body = h('tbody');
  const more = h('button', {
    class: 'quiet',
    type: 'button',
    onclick: () => {
      all = true;
      draw();
    },
  });

  const cell = (row: number, c: number): HTMLElement => {
    const value = rows[row]![c] ?? null;
    const column = columns[c]!;
    const shown = column.show
      ? column.show(value, row)
      : typeof value === 'number'
        ? formatNamed(column.name, value)
        : (value ?? '');
    return h(
      'td',
      {
        class: typeof value === 'number' ? 'number' : numeric[c] ? 'right' : isLong(value) ? 'long' : undefined,
        'data-value': typeof value === 'number' ? value : undefined,
      },
      shown as string | HTMLElement,
    );
  };
  const draw = () => {
    const visible = all ? order : order.slice(0, SHOWN);
    body.replaceChildren(...visible.map((row) => h('tr', {}, ...columns.map((_, c) => cell(row, c)))));
    more.textContent = `Show all ${rows.length} rows`;
    more.hidden = all;
    [...head.children].forEach((th, c) =>
      th.setAttribute('aria-sort', c !== sorted ? 'none' : down ? 'descending' : 'ascending'),
    );
  };
  const sort = (c: number) => {
    down = sorted === c ? !down : numeric[c]!;
    sorted = c;
    order.sort((a, b) => (down ? -1 : 1) * compare(rows[a]![c] ?? null, rows[b]![c] ?? null) || a - b);
    draw();
  };
  columns.forEach((column, c) => {
    const heading = column.heading ?? quantity(column.name).label;
    head.append(
      h(
        'th',
        { scope: 'col', class: numeric[c] ? 'number' : undefined },
        h('button', { type: 'button', title: `Sort by ${heading}`, onclick: () => sort(c) }, heading),
      ),
    );
  });
  draw();
  const copyButton: HTMLElement = h(
    'button',
    {
      class: 'quiet',
      type: 'button',
      onclick: () =>
        void copy(
          csv(
            columns.map((c) => c.name),
            order.map((r) => rows[r]!),
          ),
          copyButton,
        ),
    },
    'Copy as CSV',
  );
  return h(
    'div',
    { class: 'table' },
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption || 'table' },
      h('table', {}, caption ? h('caption', {}, caption) : null, h('thead', {}, head), body),
    ),
    h('div', { class: 'tools' }, more, copyButton),
  );
}
