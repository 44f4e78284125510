// Results folders to draw: those of commands are made by the program, the others are written here in the shape that
// docs/reference/results.md describes.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const program = process.env.OVERTURE ?? join(root, 'build', 'release', 'bin', 'overture');
export const scratch = mkdtempSync(join(tmpdir(), 'overture-web-'));

export function overture(...args) {
  return execFileSync(program, args, { encoding: 'utf8', cwd: scratch, stdio: ['ignore', 'pipe', 'pipe'] });
}

function folder(name, files) {
  const path = join(scratch, name);
  mkdirSync(path, { recursive: true });
  for (const [file, content] of Object.entries(files))
    writeFileSync(join(path, file), typeof content === 'string' ? content : JSON.stringify(content));
  overture('report', path);
  return path;
}

// A generator of its own: the same numbers every time.
function random(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

export function simulate(name = 'simulate', ...overrides) {
  const path = join(scratch, name);
  overture('simulate', example('dlrm-torus.yaml'), '-o', path, ...overrides.flatMap((o) => ['-s', o]));
  return path;
}

export function flows(name = 'flows', ...overrides) {
  const path = join(scratch, name);
  overture(
    'flows',
    example('fat-tree.yaml'),
    '-o',
    path,
    ...overrides.flatMap((o) => ['-s', o]),
  );
  return path;
}

const example = (file) => join(root, 'examples', file);

export function train(name = 'train', ...flags) {
  const path = join(scratch, name);
  const made = '--synthetic kaggle --scale 0.001 --samples 30000 --mini-batch-size 256 --test-freq 20'.split(' ');
  overture('train', ...made, '-o', path, ...flags);
  return path;
}

// Beside the published times; a fluid, so that it takes seconds.
export function study() {
  const path = join(scratch, 'study');
  const choice = '--as-published --variants baseline --models A --nodes 16,128 --networks fat-tree,opera'.split(' ');
  overture('study', 'opera-dlrm', ...choice, '-o', path);
  return path;
}

export function tutorial() {
  const path = join(scratch, 'tutorial');
  overture('study', 'astra-tutorial', '--shapes', '2x2x2,2x4x2', '--compute-scales', '1,0.5', '-o', path);
  return path;
}

export function hoti() {
  const path = join(scratch, 'hoti');
  const choice = '--gpus 16 --axes injection --systems Flat800G,HierOpt -s system.chunks=4'.split(' ');
  overture('study', 'hoti-dlrm', ...choice, '-s', 'network.tcp.segment=8960 B', '-o', path);
  return path;
}

// The published points stand beside runs that are not meant to agree with them.
export function sound() {
  const path = join(scratch, 'sound');
  overture('study', 'opera-dlrm', ...'--variants baseline --models A --nodes 16,128 --networks fat-tree,opera'.split(' '), '-o', path);
  return path;
}

export function opera() {
  const path = join(scratch, 'opera');
  overture('flows', example('opera.yaml'), '-o', path);
  return path;
}

export function sweep() {
  const path = join(scratch, 'sweep');
  overture('sweep', example('bandwidth.yaml'), '-o', path);
  return path;
}

export function collective() {
  const path = join(scratch, 'collective');
  const sizes = '--collective all_reduce -b 1K -e 16M -f 4'.split(' ');
  overture('bench', 'collective', example('dlrm-torus.yaml'), ...sizes, '--results', path);
  return path;
}

// Needs FlexFlow's format, which a build has only where flatbuffers is installed.
export function replay() {
  const path = join(scratch, 'replay');
  overture('generate', 'tasks', example('model-i.yaml'), '-o', join(scratch, 'step.tg'));
  overture('replay', join(scratch, 'step.tg'), example('fat-tree.yaml'), '--backend', 'flow', '-o', path);
  return path;
}

export function validation() {
  const rows = ['source,scenario,what,reference,ours,error_percent,allowed_percent,passes,cpu_seconds'];
  for (const [source, allowed] of [
    ['ASTRA-sim', 0],
    ['ns-3', 4],
    ['htsim', 1],
  ])
    for (let i = 0; i < 6; i++) {
      const error = allowed === 0 ? 0 : (allowed * i) / 7;
      rows.push(`${source},case ${i},makespan (us),100,${100 + error},${error},${allowed},yes,0.01`);
    }
  return folder('validation', {
    'summary.json': { name: 'Against the references', kind: 'validate', checks: rows.length - 1, failed: 0 },
    'validation.csv': rows.join('\n') + '\n',
  });
}

// Slices on several ranks with a compute and two communication streams each.
export function longTrace(slices = 200_000, ranks = 8) {
  const next = random(11);
  const events = [];
  const each = Math.floor(slices / ranks / 3);
  for (let rank = 0; rank < ranks; rank++) {
    events.push(`{"ph":"M","pid":${rank},"tid":0,"ts":0,"name":"process_name","args":{"name":"rank ${rank}"}}`);
    for (let stream = 1; stream <= 3; stream++) {
      events.push(
        `{"ph":"M","pid":${rank},"tid":${stream},"ts":0,"name":"thread_name","args":{"name":"${['compute', 'all-to-all', 'all-reduce'][stream - 1]}"}}`,
      );
      let at = 0;
      for (let i = 0; i < each; i++) {
        const length = 0.2 + 3 * next();
        const name =
          stream === 1 ? `layer ${i % 23} forward` : stream === 2 ? 'ncclKernel_AllToAll' : 'ncclKernel_AllReduce';
        events.push(
          `{"ph":"X","pid":${rank},"tid":${stream},"ts":${at.toFixed(6)},"dur":${length.toFixed(6)},"name":"${name}","args":{"layer":"L${i % 23}","chunk":"${i % 64}","iteration":"${Math.floor(i / 500)}"}}`,
        );
        at += length + 0.5 * next();
      }
    }
  }
  return folder('long-trace', {
    'summary.json': { name: 'A long trace', npus: ranks },
    'trace.json': `{"traceEvents":[\n${events.join(',\n')}\n]}`,
  });
}
