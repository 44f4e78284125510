// Colours. The palette is Okabe and Ito's, which people with any colour vision can tell apart, a little lighter on
// dark ground; style.css holds the values. Charts in SVG name the variables, so they follow the theme by themselves;
// canvases ask for the values and draw again.

export const SERIES = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7', '--c8'];
export const PARTS = { compute: 'var(--compute)', exposed: 'var(--exposed)', overlapped: 'var(--overlapped)' };

export const series = (i: number): string => `var(${SERIES[i % SERIES.length]})`;

export function color(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

export const isDark = (): boolean => color('--is-dark') === '1';

const listeners: (() => void)[] = [];
export const onTheme = (listener: () => void): void => void listeners.push(listener);
const changed = () => listeners.forEach((listener) => listener());

export function setTheme(theme: 'light' | 'dark' | 'auto'): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  changed();
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
// Paper is light whatever the screen is.
matchMedia('print').addEventListener('change', changed);

// One hue from the ground to its strongest, so that it also reads in grey: blues on light, viridis' upper part on dark.
const LIGHT = ['#f4f8fc', '#cfe1f2', '#93c3df', '#4a97c9', '#1764ab', '#08306b'];
const DARK = ['#1b2733', '#1f4e6b', '#1f7a83', '#35a67a', '#8fce4b', '#fde725'];

function parse(hex: string): [number, number, number] {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) as [number, number, number];
}

// A table of 256 colours, r g b, from 0 to 1.
export function ramp(): Uint8ClampedArray {
  const stops = (isDark() ? DARK : LIGHT).map(parse);
  const table = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1);
    const low = stops[Math.floor(at)]!;
    const high = stops[Math.min(stops.length - 1, Math.floor(at) + 1)]!;
    for (let k = 0; k < 3; k++) table[3 * i + k] = low[k]! + (high[k]! - low[k]!) * (at % 1);
  }
  return table;
}

export function rampColor(table: Uint8ClampedArray, share: number): string {
  const i = 3 * Math.round(255 * Math.max(0, Math.min(1, share)));
  return `rgb(${table[i]},${table[i + 1]},${table[i + 2]})`;
}
