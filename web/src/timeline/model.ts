// A trace as typed arrays: what the timeline draws from, fast enough for a few hundred thousand slices.

import type { PackedTrace } from '../data';

export type Kind = 0 | 1 | 2 | 3; // compute, communication, copy, annotation
export const KINDS = ['compute', 'communication', 'copy', 'step'];

export interface Track {
  process: string;
  thread: string;
  first: number; // slices [first, end) of the trace, by start
  end: number;
  depth: number; // how many rows nested slices need
}

export interface Counter {
  process: string;
  name: string;
  when: Float64Array;
  value: Float64Array;
  max: number;
}

export interface Trace {
  tracks: Track[];
  start: Float64Array; // picoseconds
  stop: Float64Array;
  name: Int32Array;
  row: Uint8Array; // depth of nesting
  tone: Uint8Array; // kind * 3 + tint
  names: string[];
  counters: Counter[];
  from: number; // the whole
  to: number;
  packed: PackedTrace;
}

function kindOf(name: string, thread: string): Kind {
  if (/^nccl/i.test(name)) return 1;
  if (/^mem(cpy|set)/i.test(name)) return 2;
  if (/^ProfilerStep/.test(name) || thread === 'host') return 3;
  return 0;
}

// HTA's names as people say them.
function spoken(name: string): string {
  return name.replace(/^ncclKernel_/, '').replace(/^ProfilerStep#/, 'step ');
}

// Neighbours of different names get different tints of the kind's colour.
function tint(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return Math.abs(hash) % 3;
}

const DEEPEST = 7;

export function unpack(packed: PackedTrace): Trace {
  const total = packed.tracks.reduce((sum, t) => sum + t.start.length, 0);
  const start = new Float64Array(total);
  const stop = new Float64Array(total);
  const name = new Int32Array(total);
  const row = new Uint8Array(total);
  const tone = new Uint8Array(total);
  const tints = packed.names.map(tint);
  const tracks: Track[] = [];
  let at = 0;
  let from = Infinity;
  let to = -Infinity;
  for (const track of packed.tracks) {
    if (track.start.length === 0) continue;
    const first = at;
    const kinds = packed.names.map((n) => kindOf(n, track.thread));
    const open: number[] = [];
    let when = 0;
    let depth = 1;
    for (let i = 0; i < track.start.length; i++, at++) {
      when += track.start[i]!;
      start[at] = when;
      stop[at] = when + track.length[i]!;
      name[at] = track.name[i]!;
      while (open.length > 0 && open[open.length - 1]! <= when) open.pop();
      row[at] = Math.min(open.length, DEEPEST);
      open.push(stop[at]!);
      depth = Math.max(depth, row[at]! + 1);
      tone[at] = kinds[name[at]!]! * 3 + tints[name[at]!]!;
      from = Math.min(from, when);
      to = Math.max(to, stop[at]!);
    }
    tracks.push({ process: track.process, thread: track.thread, first, end: at, depth });
  }
  return {
    tracks,
    start,
    stop,
    name,
    row,
    tone,
    names: packed.names.map(spoken),
    counters: packed.counters.map(counter),
    from,
    to,
    packed,
  };
}

function counter(c: PackedTrace['counters'][number]): Counter {
  const when = new Float64Array(c.when.length);
  let sum = 0;
  let max = 0;
  for (let i = 0; i < c.when.length; i++) {
    when[i] = sum += c.when[i]!;
    max = Math.max(max, c.value[i]!);
  }
  return { process: c.process, name: c.name, when, value: Float64Array.from(c.value), max };
}

// What stands on a slice: its name, and of a message who is at the other end.
export function caption(trace: Trace, slice: number): string {
  const name = trace.names[trace.name[slice]!]!;
  const peer = name === 'Send' ? 'to' : name === 'Recv' ? 'from' : '';
  const argument = trace.packed.arguments.find((a) => a.name === peer);
  const code = argument?.codes[slice] ?? -1;
  return code < 0 ? name : `${peer} ${argument!.words[code]}`;
}

// What a slice tells when it is pointed at.
export function details(trace: Trace, slice: number): [string, string][] {
  return trace.packed.arguments.filter((a) => a.codes[slice]! >= 0).map((a) => [a.name, a.words[a.codes[slice]!]!]);
}

// One byte per slice: whether its name or one of its arguments contains `text`.
export function search(trace: Trace, text: string): { found: Uint8Array; count: number } {
  const wanted = text.toLowerCase();
  const has = (word: string) => word.toLowerCase().includes(wanted);
  const names = trace.names.map(has);
  const found = new Uint8Array(trace.start.length);
  for (let i = 0; i < found.length; i++) found[i] = names[trace.name[i]!] ? 1 : 0;
  for (const argument of trace.packed.arguments) {
    const hits = argument.words.map((word) => has(`${argument.name}: ${word}`));
    if (!hits.includes(true)) continue;
    for (let i = 0; i < found.length; i++) if (argument.codes[i]! >= 0 && hits[argument.codes[i]!]) found[i] = 1;
  }
  return { found, count: found.reduce((a, b) => a + b, 0) };
}

// The first slice of [first, end) that starts at `when` or later.
export function lowerBound(values: Float64Array, first: number, end: number, when: number): number {
  while (first < end) {
    const middle = (first + end) >> 1;
    if (values[middle]! < when) first = middle + 1;
    else end = middle;
  }
  return first;
}
