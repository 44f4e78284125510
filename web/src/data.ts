// What the program packed into the page: runs with their summary, tables, traffic and trace. Nothing here
// knows how it is shown.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface PackedColumn {
  name: string;
  numbers?: (number | null)[];
  words?: string[];
  codes?: number[];
}

export interface PackedTable {
  rows: number; // in the file; the columns may hold fewer
  columns: PackedColumn[];
}

export interface Traffic {
  hosts: number;
  group: number; // hosts per cell
  kinds: { name: string; bytes: number[] }[];
}

export interface PackedTrack {
  pid: number;
  tid: number;
  process: string;
  thread: string;
  start: number[]; // picoseconds since the one before
  length: number[];
  name: number[];
}

export interface PackedTrace {
  slices: number;
  kept: number;
  tracks: PackedTrack[];
  names: string[];
  arguments: { name: string; words: string[]; codes: number[] }[];
  arrows: { from: number[]; to: number[] };
  counters: { process: string; name: string; when: number[]; value: number[] }[];
  notes: string[];
}

// What study.json holds: src/overture/study/study_report.h.
export interface PackedFigure {
  file: string;
  title: string;
  caption: string;
  svg: string;
}
export interface PackedStudyCell {
  name: string;
  link: string;
  command: string;
  setup: string;
  numbers: { [key: string]: number | null };
}
export interface PackedStudy {
  study: string;
  title: string;
  source: string;
  claim: string;
  headline: string;
  score: string;
  terms: { term: string; meaning: string }[];
  claims: { id: string; text: string; published: string; ours: string; verdict: string; why: string }[];
  figures: PackedFigure[];
  cells: PackedStudyCell[];
}

export interface PackedRun {
  folder: string;
  study: PackedStudy | null;
  summary: { [key: string]: Json } | null;
  tables: { [file: string]: PackedTable };
  traffic: Traffic | null;
  trace: PackedTrace | null;
  files: { name: string; bytes: number }[];
  notes: string[];
}

export interface PackedPage {
  format: number;
  runs: PackedRun[];
}

export type Cell = number | string | null;

export class Table {
  readonly length: number;
  readonly columns: string[];
  private readonly byName = new Map<string, PackedColumn>();

  constructor(
    readonly file: string,
    readonly packed: PackedTable,
  ) {
    this.columns = packed.columns.map((c) => c.name);
    for (const column of packed.columns) this.byName.set(column.name, column);
    const first = packed.columns[0];
    this.length = first ? (first.numbers ?? first.codes ?? []).length : 0;
  }

  get cut(): boolean {
    return this.length < this.packed.rows;
  }
  has(...names: string[]): boolean {
    return names.every((name) => this.byName.has(name));
  }
  isNumeric(name: string): boolean {
    return this.byName.get(name)?.numbers !== undefined;
  }
  // NaN where there is none.
  numbers(name: string): number[] {
    const column = this.byName.get(name);
    if (!column) return [];
    if (column.numbers) return column.numbers.map((v) => v ?? NaN);
    return column.codes!.map((code) => parseFloat(column.words![code]!));
  }
  texts(name: string): string[] {
    const column = this.byName.get(name);
    if (!column) return [];
    if (column.numbers) return column.numbers.map((v) => (v === null ? '' : String(v)));
    return column.codes!.map((code) => column.words![code]!);
  }
  cell(name: string, row: number): Cell {
    const column = this.byName.get(name)!;
    return column.numbers ? (column.numbers[row] ?? null) : column.words![column.codes![row]!]!;
  }
  distinct(name: string): string[] {
    return [...new Set(this.texts(name))];
  }
}

export class Run {
  readonly tables: Table[];
  label: string;
  alone = true; // the page lies in the run's own folder

  constructor(readonly packed: PackedRun) {
    this.label = packed.folder;
    this.tables = Object.entries(packed.tables).map(([file, table]) => new Table(file, table));
  }

  get title(): string {
    if (this.packed.study?.title) return this.packed.study.title;
    const name = this.packed.summary?.['name'];
    return typeof name === 'string' && name !== '' ? name : this.packed.folder;
  }
  table(file: string): Table | undefined {
    return this.tables.find((t) => t.file === file && t.length > 0);
  }
  // "held_out.auc" is auc in held_out.
  number(key: string): number | undefined {
    let value: Json | undefined = this.packed.summary;
    for (const part of key.split('.'))
      value = value && typeof value === 'object' && !Array.isArray(value) ? value[part] : undefined;
    return typeof value === 'number' ? value : undefined;
  }
  text(key: string): string | undefined {
    const value = this.packed.summary?.[key];
    return typeof value === 'string' ? value : undefined;
  }
  // The numbers of the summary in its order, those inside of objects too, but no lists.
  numbers(): [string, number][] {
    const within = (object: { [key: string]: Json }, path: string): [string, number][] =>
      Object.entries(object).flatMap(([key, value]): [string, number][] => {
        if (typeof value === 'number') return [[path + key, value]];
        return value && typeof value === 'object' && !Array.isArray(value) ? within(value, `${path}${key}.`) : [];
      });
    return within(this.packed.summary ?? {}, '');
  }
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export async function load(base64: string): Promise<Run[]> {
  const bytes = decode(base64.trim());
  if (typeof DecompressionStream === 'undefined') {
    throw new Error(
      'This browser is too old to open the report: it needs DecompressionStream (Chrome 80, Firefox 113, Safari 16.4).',
    );
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const page = JSON.parse(await new Response(stream).text()) as PackedPage;
  const runs = page.runs.map((run) => new Run(run));
  const seen = new Map<string, number>();
  for (const run of runs) {
    run.alone = runs.length === 1;
    const count = (seen.get(run.label) ?? 0) + 1;
    seen.set(run.label, count);
    if (count > 1) run.label += ` (${count})`;
  }
  return runs;
}
