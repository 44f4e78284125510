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
  overture('simulate', join(root, 'examples', 'dlrm-torus.yaml'), '-o', path, ...overrides.flatMap((o) => ['-s', o]));
  return path;
}

export function flows(name = 'flows', ...overrides) {
  const path = join(scratch, name);
  overture(
    'flows',
    join(root, 'examples', 'fat-tree.yaml'),
    '-s',
    'monitor.interval=1 us',
    '-o',
    path,
    ...overrides.flatMap((o) => ['-s', o]),
  );
  return path;
}

export function train(name = 'train', steps = 2000, seed = 7) {
  const next = random(seed);
  const lines = [];
  let seconds = 0;
  for (let step = 1; step <= steps; step++) {
    const row = {
      step,
      seconds: (seconds += 0.03 + 0.004 * next()),
      samples: 2048,
      loss: 0.46 + 0.24 * Math.exp(-step / 300) + 0.02 * next(),
      rows: Math.round(8000 + 500 * next()),
      hit_rate: 0.93 - 0.5 * Math.exp(-step / 60) + 0.01 * next(),
      critical_rows: Math.round(30 * next()),
      resident_rows: Math.round(Math.min(98000, 250 * step)),
      fetched_rows: Math.round(900 + 100 * next()),
      fetched_bytes: Math.round(230e3 + 25e3 * next()),
      compute_seconds: 0.02 + 0.001 * next(),
      waited_for_rows_seconds: 0.004 * next(),
    };
    if (step % 500 === 0)
      row.evaluation = { log_loss: 0.47 + 0.1 * Math.exp(-step / 400), auc: 0.79 - 0.1 * Math.exp(-step / 500) };
    lines.push(JSON.stringify(row));
  }
  const curve = ['cache_rows,miss_ratio'];
  for (let rows = 1000; rows <= 1e6; rows *= 2) curve.push(`${rows},${(0.6 * (rows / 1000) ** -0.35).toFixed(4)}`);
  return folder(name, {
    'summary.json': {
      name: 'DLRM on synthetic Criteo',
      steps,
      samples_per_second: 63012.5,
      loss: 0.4689,
      hit_rate: 0.9312,
      fetched_bytes: 486539264,
      held_out: { auc: 0.7886, log_loss: 0.4703 },
    },
    'metrics.jsonl': lines.join('\n') + '\n',
    'miss_ratio.csv': curve.join('\n') + '\n',
  });
}

export function study() {
  const rows = ['model,batch,nodes,network,allreduce,iteration_s,published_iteration_s'];
  for (const [model, base] of [
    ['A', 30],
    ['I', 12],
  ])
    for (const batch of [524288, 2097152])
      for (const nodes of [16, 128, 1024])
        for (const [network, allreduce, factor] of [
          ['fat_tree', 'ring', 1.2],
          ['fat_tree', 'dps', 1],
          ['opera', 'dps', 0.97],
        ]) {
          const time = (base * factor * (batch / 524288)) / (nodes / 16) ** 0.8;
          rows.push(
            [
              model,
              batch,
              nodes,
              network,
              allreduce,
              time.toFixed(6),
              allreduce === 'dps' && nodes === 1024 && network === 'fat_tree'
                ? ''
                : (time * (1 + 0.04 * Math.sin(nodes + batch))).toFixed(6),
            ].join(','),
          );
        }
  return folder('study', {
    'summary.json': { name: 'Opera and DLRM', rows: rows.length - 1 },
    'matrix.csv': rows.join('\n') + '\n',
  });
}

export function opera() {
  const [tors, rotors] = [24, 4];
  const rows = ['slot,rotor,tor,peer'];
  for (let slot = 0; slot < tors; slot++)
    for (let rotor = 0; rotor < rotors; rotor++)
      for (let tor = 0; tor < tors; tor++) {
        const matching = Math.floor(slot / rotors) * rotors + rotor;
        const dark = slot % rotors === rotor;
        rows.push([slot, rotor, tor, dark ? -1 : (2 * tors + matching - tor) % tors].join(','));
      }
  const traffic = ['from,to,kind,bytes'];
  for (let from = 0; from < 96; from++) {
    for (let to = 0; to < 96; to++)
      if (from !== to) traffic.push(`${from},${to},all-to-all,${1000 + ((from * to) % 700)}`);
    traffic.push(`${from},${(from + 1) % 96},all-reduce,150000`);
  }
  return folder('opera', {
    'summary.json': { name: 'DLRM on Opera', iteration_us: 812.5 },
    'schedule.csv': rows.join('\n') + '\n',
    'traffic.csv': traffic.join('\n') + '\n',
  });
}

export function sweep() {
  const rows = [
    'network.dimensions.0.bandwidth,network.dimensions.0.size,system.chunks,iteration_us,exposed_communication_us,network_cost_dollars',
  ];
  for (const [i, bandwidth] of ['25 GB/s', '50 GB/s', '100 GB/s', '200 GB/s'].entries())
    for (const size of [4, 8, 16])
      for (const chunks of [1, 4, 16]) {
        const exposed = 900 / 2 ** i + 12 * size + 80 / chunks;
        rows.push(
          [bandwidth, size, chunks, (150 + exposed).toFixed(3), exposed.toFixed(3), 1000 * 1.7 ** i * size].join(','),
        );
      }
  const axes = rows[0]
    .split(',')
    .slice(0, 3)
    .map((key) => ({ key }));
  return folder('sweep', {
    'summary.json': {
      name: 'Bandwidth or size?',
      kind: 'sweep',
      command: 'simulate',
      points: rows.length - 1,
      finished: rows.length - 1,
      metric: 'iteration_us',
      axes,
    },
    'sweep.csv': rows.join('\n') + '\n',
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
