// Which runs are shown, and in which order. No page here, so that it can be tested alone.

export interface Run {
  path: string;
  name: string;
  kind: string;
  when: string;
  time: number;
  headline: string;
  why: string;
  state: 'finished' | 'running' | 'interrupted';
  progress: string;
  tags: string[];
  report: boolean;
  part?: boolean; // a point of a sweep or a cell of a study
}

export interface Order {
  by: 'time' | 'name' | 'kind' | 'headline';
  down: boolean;
}

export function matches(run: Run, wanted: { search: string; kind: string; tag: string; parts: boolean }): boolean {
  if (run.part && !wanted.parts) return false;
  if (wanted.kind && run.kind !== wanted.kind) return false;
  if (wanted.tag && !run.tags.includes(wanted.tag)) return false;
  const all = [run.path, run.name, run.kind, run.why, run.headline, ...run.tags].join(' ').toLowerCase();
  return wanted.search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

export function sorted(runs: Run[], order: Order): Run[] {
  const sign = order.down ? -1 : 1;
  const key = (run: Run) => (order.by === 'name' ? run.name || run.path : run[order.by]);
  return [...runs].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    const way = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en', { numeric: true });
    return sign * (way || a.path.localeCompare(b.path));
  });
}
