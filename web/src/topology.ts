// The network as a drawing: hosts at the bottom, switches above them level by level, links coloured by how busy they
// were. Where nothing but hosts is joined, as in a torus, they stand on a circle.

import type { Table } from './data';
import { h, hideTip, onWidth, showTip } from './dom';
import { figure, pngTool } from './figure';
import { color, onTheme, ramp, rampColor } from './theme';
import { formatNamed } from './units';

interface Node {
  name: string;
  level: number; // -1: not reached
  neighbours: number[];
  x: number;
  y: number;
}
interface Edge {
  a: number;
  b: number;
  up: number; // a row of links.csv for each direction, or -1
  down: number;
  load: number;
}

function graph(links: Table): { nodes: Node[]; edges: Edge[] } {
  const [from, to, load] = [links.texts('from'), links.texts('to'), links.numbers('utilisation_percent')];
  const nodes: Node[] = [];
  const known = new Map<string, number>();
  const node = (name: string): number => {
    if (!known.has(name)) {
      known.set(name, nodes.length);
      nodes.push({ name, level: -1, neighbours: [], x: 0, y: 0 });
    }
    return known.get(name)!;
  };
  const edges = new Map<string, Edge>();
  for (let i = 0; i < links.length; i++) {
    const [f, t] = [node(from[i]!), node(to[i]!)];
    const key = `${Math.min(f, t)} ${Math.max(f, t)}`;
    const edge = edges.get(key) ?? { a: Math.min(f, t), b: Math.max(f, t), up: -1, down: -1, load: 0 };
    if (f === edge.a) edge.up = i;
    else edge.down = i;
    edge.load = Math.max(edge.load, load[i]!);
    edges.set(key, edge);
  }
  for (const edge of edges.values()) {
    nodes[edge.a]!.neighbours.push(edge.b);
    nodes[edge.b]!.neighbours.push(edge.a);
  }
  return { nodes, edges: [...edges.values()] };
}

// Steps from the nearest host.
function levels(nodes: Node[]): number {
  for (const node of nodes) node.level = -1; // placed again when the page changes its width, as for paper
  let front = nodes.map((_, i) => i).filter((i) => nodes[i]!.name.startsWith('h'));
  let level = 0;
  for (const i of front) nodes[i]!.level = 0;
  while (front.length > 0) {
    const next: number[] = [];
    for (const i of front)
      for (const n of nodes[i]!.neighbours)
        if (nodes[n]!.level < 0) {
          nodes[n]!.level = level + 1;
          next.push(n);
        }
    front = next;
    if (next.length > 0) level++;
  }
  for (const node of nodes) if (node.level < 0) node.level = level;
  return level;
}

// The sizes of a torus or mesh of hosts whose links are in tiers "dimension 0", "dimension 1", ...: neighbours of a
// dimension are as many numbers apart as the dimensions inside have hosts. Nothing where that does not come out even.
function sizesOf(links: Table): number[] | undefined {
  if (!links.has('tier')) return undefined;
  if (links.texts('tier').includes('ring')) return sizesOfRouters(links);
  const [from, to, tier] = [links.texts('from'), links.texts('to'), links.texts('tier')];
  const strides = new Map<number, number>();
  let hosts = 0;
  for (let i = 0; i < links.length; i++) {
    const dimension = /^dimension (\d+)$/.exec(tier[i]!);
    if (!dimension || !from[i]!.startsWith('h') || !to[i]!.startsWith('h')) return undefined;
    const [a, b] = [Number(from[i]!.slice(1)), Number(to[i]!.slice(1))];
    hosts = Math.max(hosts, a + 1, b + 1);
    const d = Number(dimension[1]);
    strides.set(d, Math.min(strides.get(d) ?? Infinity, Math.abs(a - b)));
  }
  const order = [...strides.values()].sort((a, b) => a - b);
  const sizes = order.map((stride, i) => (order[i + 1] ?? hosts) / stride);
  return order[0] === 1 && sizes.every(Number.isInteger) && sizes.length >= 2 ? sizes : undefined;
}

// The same for a torus of routers, router n with host n, whose rings are one tier: every dimension joins neighbours
// that are `stride` numbers apart, and the two ends of its rings.
function sizesOfRouters(links: Table): number[] | undefined {
  const [from, to, tier] = [links.texts('from'), links.texts('to'), links.texts('tier')];
  const apart = new Set<number>();
  let routers = 0;
  for (let i = 0; i < links.length; i++) {
    const [a, b] = [Number(from[i]!.slice(1)), Number(to[i]!.slice(1))];
    routers = Math.max(routers, a + 1, b + 1);
    const router = from[i]!.startsWith('s') && to[i]!.startsWith('s');
    if (router !== (tier[i] === 'ring') || (!router && a !== b)) return undefined;
    if (router) apart.add(Math.abs(a - b));
  }
  const search = (stride: number, left: Set<number>): number[] | undefined => {
    if (stride === routers) return left.size === 0 ? [] : undefined;
    if (!left.has(stride)) return undefined;
    for (const ends of [...left].sort((a, b) => a - b)) {
      if (ends % stride !== 0) continue;
      const rest = search(ends + stride, new Set([...left].filter((d) => d !== stride && d !== ends)));
      if (rest) return [ends / stride + 1, ...rest];
    }
    return undefined;
  };
  const sizes = search(1, apart);
  return sizes && sizes.length >= 2 ? sizes : undefined;
}

const PAD = 26; // around a grid, with room for links that go round

// Even dimensions go across, odd ones down: a 4x4x4 torus is four squares side by side.
function placeGrid(nodes: Node[], sizes: number[], width: number, height: number): void {
  const [across, down] = [0, 1].map((side) => sizes.filter((_, d) => d % 2 === side));
  const spot = (coordinates: number[], extents: number[]) => {
    let [at, unit] = [0, 1];
    coordinates.forEach((c, i) => {
      at += c * unit;
      unit *= extents[i]! + 1; // with a gap between groups
    });
    return at;
  };
  const routers = nodes.some((n) => n.name.startsWith('s'));
  const most = (extents: number[]) => spot(extents.map((e) => e - 1), extents);
  for (const node of nodes) {
    let number = Number(node.name.slice(1));
    const coordinates = sizes.map((size) => {
      const c = number % size;
      number = Math.floor(number / size);
      return c;
    });
    const [x, y] = [0, 1].map((side) => coordinates.filter((_, d) => d % 2 === side)) as [number[], number[]];
    node.x = PAD + (spot(x, across!) / Math.max(1, most(across!))) * (width - 2 * PAD);
    node.y = PAD + (spot(y, down!) / Math.max(1, most(down!))) * (height - 2 * PAD);
    if (!routers || !node.name.startsWith('h')) continue;
    node.x -= 9; // a host stands below its router, to the left
    node.y += 11;
  }
}

const byName = (a: Node, b: Node) => a.name.localeCompare(b.name, 'en', { numeric: true });

function place(nodes: Node[], width: number, height: number): void {
  const top = levels(nodes);
  const pad = 16;
  if (top === 0) {
    [...nodes].sort(byName).forEach((node, i) => {
      const angle = (2 * Math.PI * i) / nodes.length - Math.PI / 2;
      node.x = width / 2 + (width / 2 - pad) * Math.cos(angle);
      node.y = height / 2 + (height / 2 - pad) * Math.sin(angle);
    });
    return;
  }
  for (let level = 0; level <= top; level++) {
    const row = nodes.filter((n) => n.level === level);
    const below = (n: Node) => {
      const xs = n.neighbours
        .map((i) => nodes[i]!)
        .filter((m) => m.level === level - 1)
        .map((m) => m.x);
      return xs.length > 0 ? xs.reduce((a, b) => a + b, 0) / xs.length : 0;
    };
    const key = new Map(row.map((n) => [n, level === 0 ? 0 : Math.round(below(n))]));
    row.sort((a, b) => key.get(a)! - key.get(b)! || byName(a, b));
    row.forEach((node, i) => {
      node.x = pad + ((i + 0.5) / row.length) * (width - 2 * pad);
      node.y = height - pad - (level / top) * (height - 2 * pad);
    });
  }
}

const isRotor = (node: Node) => node.name.startsWith('rotor');

function diamond(context: CanvasRenderingContext2D, { x, y }: Node, size: number): void {
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
}

// The names of switches, level by level, where there is room for all of a level.
function labels(context: CanvasRenderingContext2D, nodes: Node[], size: number, width: number): void {
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.lineWidth = 4;
  context.lineJoin = 'round';
  context.strokeStyle = color('--ground');
  context.fillStyle = color('--ink');
  const switches = nodes.filter((n) => !n.name.startsWith('h'));
  for (const level of new Set(switches.map((n) => n.level))) {
    const row = switches.filter((n) => n.level === level);
    const widest = Math.max(...row.map((n) => context.measureText(n.name).width));
    if (width / row.length < widest + 3 * size + 12) continue;
    for (const node of row) {
      context.strokeText(node.name, node.x + 2 * size, node.y);
      context.fillText(node.name, node.x + 2 * size, node.y);
    }
  }
}

export function topologyFigure(host: HTMLElement, links: Table): void {
  const { nodes, edges } = graph(links);
  const title = 'The network, by load';
  const frame = figure(
    title,
    `${nodes.some(isRotor) ? 'Circles are hosts, squares are ToRs, diamonds are rotor switches: a circuit leads from a ToR through a rotor to the ToR that the rotor shows it.' : 'Circles are hosts, squares are switches.'} A line is both directions of a link, coloured by the busier one. Point at a node or a link, or go from the busiest link on with the arrow keys.`,
  );
  host.append(frame.root);
  const canvas = h('canvas', {
    tabindex: 0,
    role: 'img',
    'aria-label': `Drawing of ${nodes.length} nodes and ${edges.length} links, coloured by load`,
  });
  frame.body.append(canvas);
  const sizes = sizesOf(links);
  const busiest = Math.max(...edges.map((e) => e.load), 1e-9);
  edges.sort((a, b) => a.load - b.load); // the busy ones on top
  let [width, height] = [0, 0];
  let lit: { node?: number; edge?: Edge } = {};

  const paint = () => {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round((height + 26) * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height + 26}px`;
    const context = canvas.getContext('2d')!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const table = ramp();
    const thin = edges.length > 1500 ? 0.6 : edges.length > 300 ? 1 : 1.8;
    const draw = (edge: Edge, wide: number) => {
      context.strokeStyle = rampColor(table, 0.12 + 0.88 * (edge.load / busiest));
      context.lineWidth = wide;
      context.beginPath();
      const [a, b] = [nodes[edge.a]!, nodes[edge.b]!];
      context.moveTo(a.x, a.y);
      // A link that goes round bows out, so that it does not hide those between its ends, but stays on the drawing.
      const length = Math.hypot(b.x - a.x, b.y - a.y);
      const bow = sizes ? (bowOf(a, b, sizes) * Math.min(length / 6, 2 * PAD - 8)) / length : 0;
      if (bow === 0) context.lineTo(b.x, b.y);
      else
        context.quadraticCurveTo(
          (a.x + b.x) / 2 + bow * (b.y - a.y),
          (a.y + b.y) / 2 - bow * (b.x - a.x),
          b.x,
          b.y,
        );
      context.stroke();
    };
    context.globalAlpha = lit.node !== undefined ? 0.15 : 1;
    for (const edge of edges) draw(edge, thin);
    context.globalAlpha = 1;
    if (lit.node !== undefined)
      for (const edge of edges) if (edge.a === lit.node || edge.b === lit.node) draw(edge, thin + 1);
    if (lit.edge) draw(lit.edge, thin + 2.5);
    const size = nodes.length > 600 ? 1.5 : nodes.length > 150 ? 3 : 5;
    nodes.forEach((node, i) => {
      context.fillStyle = i === lit.node ? color('--c4') : color('--ink');
      context.beginPath();
      if (node.name.startsWith('h')) context.arc(node.x, node.y, size * 0.8, 0, 7);
      else if (isRotor(node)) diamond(context, node, size * 1.4);
      else context.rect(node.x - size, node.y - size, 2 * size, 2 * size);
      context.fill();
    });
    labels(context, nodes, size, width);
    legend(context, table);
  };
  const legend = (context: CanvasRenderingContext2D, table: Uint8ClampedArray) => {
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = color('--ink');
    const before = 'utilisation 0';
    context.fillText(before, 4, height + 14);
    const x = 12 + context.measureText(before).width;
    for (let i = 0; i < 140; i++) {
      context.fillStyle = rampColor(table, 0.12 + 0.88 * (i / 139));
      context.fillRect(x + i, height + 8, 1.5, 12);
    }
    context.fillStyle = color('--ink');
    context.fillText(`${busiest.toFixed(1)} %`, x + 148, height + 14);
  };

  const say = (row: number): string | null => {
    if (row < 0) return null;
    const parts = [
      `${links.texts('from')[row]} \u2192 ${links.texts('to')[row]}: ${formatNamed('utilisation_percent', links.numbers('utilisation_percent')[row]!)}`,
    ];
    if (links.has('carried_bytes')) parts.push(formatNamed('carried_bytes', links.numbers('carried_bytes')[row]!));
    if (links.has('peak_queue_bytes'))
      parts.push(`queue \u2264 ${formatNamed('peak_queue_bytes', links.numbers('peak_queue_bytes')[row]!)}`);
    return parts.join(', ');
  };
  const tipOf = (edge: Edge): string[] => [
    `${nodes[edge.a]!.name} \u2013 ${nodes[edge.b]!.name}`,
    ...[say(edge.up), say(edge.down)].filter((t) => t !== null),
  ];
  canvas.addEventListener('pointermove', (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const node = nodes.findIndex((n) => Math.hypot(n.x - x, n.y - y) < 7);
    const edge = node >= 0 ? undefined : nearest(edges, nodes, x, y);
    const was = lit;
    lit = node >= 0 ? { node } : edge ? { edge } : {};
    if (was.node !== lit.node || was.edge !== lit.edge) paint();
    if (node >= 0) {
      const of = edges.filter((e) => e.a === node || e.b === node);
      const most = Math.max(...of.map((e) => e.load), 0);
      showTip(event.clientX, event.clientY, [
        nodes[node]!.name,
        `${of.length} links, busiest ${formatNamed('utilisation_percent', most)}`,
      ]);
    } else if (edge) {
      showTip(event.clientX, event.clientY, tipOf(edge));
    } else hideTip();
  });
  const leave = () => {
    lit = {};
    hideTip();
    paint();
  };
  canvas.addEventListener('pointerleave', leave);
  canvas.addEventListener('blur', leave);
  canvas.addEventListener('keydown', (event) => {
    const by = { ArrowRight: -1, ArrowDown: -1, ArrowLeft: 1, ArrowUp: 1 }[event.key];
    if (event.key === 'Escape') leave();
    if (by === undefined) return;
    event.preventDefault();
    const at = lit.edge ? edges.indexOf(lit.edge) + by : edges.length - 1;
    const edge = edges[Math.max(0, Math.min(edges.length - 1, at))]!;
    lit = { edge };
    paint();
    const [a, b, box] = [nodes[edge.a]!, nodes[edge.b]!, canvas.getBoundingClientRect()];
    showTip(box.left + (a.x + b.x) / 2, box.top + (a.y + b.y) / 2, tipOf(edge));
  });
  onWidth(frame.body, (now) => {
    const flat = nodes.every((n) => n.name.startsWith('h'));
    width = flat && !sizes ? Math.min(now, 480) : now;
    height = sizes ? Math.max(160, Math.min(420, (now * rowsOf(sizes)) / columnsOf(sizes))) : 0;
    if (!sizes) height = flat ? width : Math.min(320, Math.max(200, now * 0.4));
    if (sizes) placeGrid(nodes, sizes, width, height);
    else place(nodes, width, height);
    paint();
  });
  onTheme(paint);
  pngTool(frame, title, () => canvas);
}

const side = (sizes: number[], which: number) => sizes.filter((_, d) => d % 2 === which).reduce((a, b) => a * b, 1);
const columnsOf = (sizes: number[]) => side(sizes, 0);
const rowsOf = (sizes: number[]) => side(sizes, 1);

// 0 for neighbours across and down, 1 for ends that have others between them.
function bowOf(a: Node, b: Node, sizes: number[]): number {
  const distance = Math.abs(Number(a.name.slice(1)) - Number(b.name.slice(1)));
  return distance <= 1 || distance === sizes[0] ? 0 : 1;
}

function nearest(edges: Edge[], nodes: Node[], x: number, y: number): Edge | undefined {
  let best: Edge | undefined;
  let distance = 4;
  for (const edge of edges) {
    const [a, b] = [nodes[edge.a]!, nodes[edge.b]!];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const t = Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)));
    const d = Math.hypot(a.x + t * dx - x, a.y + t * dy - y);
    if (d <= distance) [best, distance] = [edge, d];
  }
  return best;
}
