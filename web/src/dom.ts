// Elements in one line each, and the one tooltip of the page.

type Child = Node | string | null | undefined;
type Attributes = { [name: string]: string | number | boolean | ((event: never) => void) | undefined };

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as (event: Event) => void);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

let tip: HTMLElement | null = null;

// Lines of text beside a point of the window; the first is the head.
export function showTip(x: number, y: number, lines: string[]): void {
  if (!tip) document.body.append((tip = h('div', { class: 'tip', role: 'status' })));
  tip.replaceChildren(...lines.map((line, i) => h(i === 0 ? 'strong' : 'div', {}, line)));
  tip.style.display = 'block';
  const box = tip.getBoundingClientRect();
  const left = x + 14 + box.width > innerWidth ? x - 14 - box.width : x + 14;
  tip.style.left = `${Math.max(4, Math.min(left, innerWidth - box.width - 4))}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - box.height - 4))}px`;
}

export function hideTip(): void {
  if (tip) tip.style.display = 'none';
}

export function select(
  label: string,
  options: string[],
  chosen: string,
  changed: (value: string) => void,
  names: (option: string) => string = (o) => o,
): HTMLElement {
  const control = h(
    'select',
    { onchange: () => changed(control.value) },
    ...options.map((o) => h('option', { value: o, selected: o === chosen }, names(o))),
  );
  return h('label', { class: 'control' }, label, ' ', control);
}

export function download(name: string, blob: Blob): void {
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export async function copy(text: string, button: HTMLElement): Promise<void> {
  const said = button.textContent;
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    // Pages from file:// may not use the clipboard in every browser; the old way works there.
    const area = h('textarea', { class: 'offscreen' });
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand('copy');
    area.remove();
  }
  button.textContent = done ? 'Copied' : 'Could not copy';
  setTimeout(() => (button.textContent = said), 1500);
}

// Calls `draw` now and whenever the width of `host` changes.
export function onWidth(host: HTMLElement, draw: (width: number) => void): void {
  let last = 0;
  const measure = () => {
    const width = Math.floor(host.clientWidth);
    if (width > 0 && Math.abs(width - last) > 1) {
      last = width;
      draw(width);
    }
  };
  measure();
  new ResizeObserver(() => requestAnimationFrame(measure)).observe(host);
}
