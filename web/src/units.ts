// Units stand at the end of names, iteration_us, carried_bytes, as everywhere in the results; this turns a name
// and a number into what people read.

export interface Quantity {
  label: string; // the name without its unit
  unit: string; // '' for a count
}

const SUFFIXES: [string, string][] = [
  ['_GB_per_s', 'GB/s'],
  ['_samples_per_second', 'samples/s'],
  ['_samples_per_s', 'samples/s'],
  ['_per_second', '/s'],
  ['_per_s', '/s'],
  ['_microseconds', 'us'],
  ['_milliseconds', 'ms'],
  ['_seconds', 's'],
  ['_us', 'us'],
  ['_ns', 'ns'],
  ['_ps', 'ps'],
  ['_ms', 'ms'],
  ['_s', 's'],
  ['_bytes', 'B'],
  ['_percent', '%'],
  ['_dollars', '$'],
  ['_gbps', 'Gbps'],
  ['_Gbps', 'Gbps'],
  ['_watts', 'W'],
  ['_share', 'share'],
  ['_fraction', 'share'],
  ['_utilisation', 'share'],
  ['_ratio', 'share'],
];

export function quantity(name: string): Quantity {
  if (/(^|[._])samples_per_s(econd)?$/.test(name)) return { label: 'throughput', unit: 'samples/s' };
  if (name === 'seconds') return { label: 'time', unit: 's' };
  const middle = /^(.+)_(seconds|us)_(mean|median|deviation)$/.exec(name);
  if (middle) return { label: words(`${middle[1]}_time_${middle[3]}`), unit: middle[2] === 'us' ? 'us' : 's' };
  if (name === 'bytes') return { label: 'bytes', unit: 'B' };
  if (/hit_rate(_\w+)?$|share_of_\w+$|^utilisation$|(^|[._])accuracy$/.test(name)) return { label: words(name), unit: 'share' };
  for (const [suffix, unit] of SUFFIXES) {
    if (!name.endsWith(suffix) || name.length === suffix.length) continue;
    const rest = name.slice(0, -suffix.length);
    const keeps = unit === 'share' ? name : rest;
    return { label: words(keeps), unit };
  }
  return { label: words(name), unit: '' };
}

// Names that say too little, or are spelled otherwise in what people read.
const NAMES: { [name: string]: string } = {
  log_loss: 'log-loss',
  logloss: 'log-loss',
  normalized_entropy: 'normalised entropy',
  message: 'messages', // message_bytes, collective_bytes: of all
  collective: 'collectives',
};

const ACRONYMS = /\b(npus|fct|auc|ecn|cpu|gpu|rtt|mlp)\b/g;
const words = (name: string): string =>
  NAMES[name] ??
  name.replaceAll('_', ' ').replaceAll(ACRONYMS, (word) => (word === 'npus' ? 'NPUs' : word.toUpperCase()));

const PICOSECONDS: { [unit: string]: number } = { ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 };
const TIME_NAMES: [string, number][] = [
  ['ps', 1],
  ['ns', 1e3],
  ['us', 1e6],
  ['ms', 1e9],
  ['s', 1e12],
];
const BYTE_NAMES: [string, number][] = [
  ['B', 1],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
  ['PiB', 2 ** 50],
];

// How to show numbers of a unit that reach `largest`: divide by `per`, and write `name` behind.
export function scale(unit: string, largest: number): { per: number; name: string } {
  const size = Math.abs(largest);
  const pick = (names: [string, number][], base: number) => {
    let chosen = names[0]!;
    for (const entry of names) if (size * base >= entry[1] * 0.9999) chosen = entry;
    return { per: chosen[1] / base, name: chosen[0] };
  };
  if (unit in PICOSECONDS)
    return size === 0 ? { per: 1, name: unit } : pick(TIME_NAMES, PICOSECONDS[unit]!);
  if (unit === 'B') return pick(BYTE_NAMES, 1);
  if (unit === 'share') return { per: 0.01, name: '%' };
  if (unit === 'Gbps' && size >= 1000) return { per: 1000, name: 'Tbps' };
  if ((unit === '' || unit === '/s' || unit === 'samples/s') && size >= 1e5) {
    const [per, prefix] = size >= 1e9 ? [1e9, 'G'] : size >= 1e6 ? [1e6, 'M'] : [1e3, 'k'];
    return { per, name: unit === '' ? prefix : `${prefix} ${unit}` };
  }
  return { per: 1, name: unit };
}

// Four digits that count, no exponent where it can be avoided.
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '\u2013';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return value.toExponential(2);
  if (Number.isInteger(value) && size < 1e4) return String(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en').replaceAll(',', '\u202f');
  return String(Number(value.toPrecision(4)));
}

export function format(value: number, unit: string): string {
  if (!Number.isFinite(value)) return '\u2013';
  if (unit === '' && Number.isInteger(value))
    return Math.abs(value) < 1e4 ? String(value) : value.toLocaleString('en').replaceAll(',', '\u202f');
  const { per, name } = scale(unit, value);
  return `${digits(value / per)}${name ? '\u00a0' + name : ''}`;
}

// In "mean_iteration_us.32 GiB/s" it is the first part that tells the unit.
export function formatNamed(name: string, value: number): string {
  const units = [name, ...name.split('.').reverse()].map((part) => quantity(part).unit);
  return format(value, units.find((unit) => unit !== '') ?? '');
}

export function change(from: number, to: number): string {
  if (from === to) return 'same';
  if (from === 0) return '';
  const percent = (100 * (to - from)) / Math.abs(from);
  return `${percent > 0 ? '+' : '\u2212'}${Math.abs(percent).toFixed(1)}\u00a0%`;
}

// "iteration (ms)" and a function to the numbers on that axis.
export function axis(name: string, values: number[]): { label: string; of: (value: number) => number; unit: string } {
  const { label, unit } = quantity(name);
  let largest = 0;
  for (const value of values) if (Math.abs(value) > largest) largest = Math.abs(value);
  const { per, name: shown } = scale(unit, largest);
  return { label: shown ? `${label} (${shown})` : label, of: (value) => value / per, unit };
}
