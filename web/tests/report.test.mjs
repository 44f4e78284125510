// What a reader of a report relies on, tried in a real browser with pages that the program made.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium, launch, open } from './browser.mjs';
import * as samples from './samples.mjs';

const missing = !chromium
  ? 'needs chromium'
  : !existsSync(samples.program)
    ? `needs ${samples.program}; set OVERTURE`
    : false;
const skip = missing || undefined;
let browser;
before(async () => {
  if (!missing) browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(samples.scratch, { recursive: true, force: true });
});

const made = new Map();
function folder(name, make) {
  if (!made.has(name)) made.set(name, make());
  return made.get(name);
}
const pages = {
  simulate: () => folder('simulate', () => samples.simulate()),
  flows: () => folder('flows', () => samples.flows()),
  train: () => folder('train', () => samples.train()),
  study: () => folder('study', () => samples.study()),
  tutorial: () => folder('tutorial', () => samples.tutorial()),
  hoti: () => folder('hoti', () => samples.hoti()),
  sound: () => folder('sound', () => samples.sound()),
  opera: () => folder('opera', () => samples.opera()),
  sweep: () => folder('sweep', () => samples.sweep()),
  collective: () => folder('collective', () => samples.collective()),
  replay: () => folder('replay', () => samples.replay()),
  validation: () => folder('validation', () => samples.validation()),
};
const page = (name) => join(pages[name](), 'report.html');

// Every drawing of the page, and whether there is something in it: more than a ground and one ink on a canvas, a mark
// beside axes and grid in an SVG.
async function drawings(tab) {
  return tab.evaluate(() =>
    [...document.querySelectorAll('figure')]
      .filter((f) => f.querySelector(':scope > .body'))
      .map((frame) => {
        const title = frame.querySelector('h3').textContent;
        const canvas = frame.querySelector('canvas');
        if (canvas) {
          const pixels = new Uint32Array(
            canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer,
          );
          return { title, drawn: new Set(pixels).size > 2 };
        }
        const marks = frame.querySelectorAll(
          'svg [aria-label]:not([aria-label*="axis"]):not([aria-label*="grid"]) :is(path, rect, circle, line)',
        );
        return {
          title,
          drawn: [...marks].some((m) => m.getBoundingClientRect().width + m.getBoundingClientRect().height > 0),
        };
      }),
  );
}

const VIEWS = {
  simulate: {
    sections: ['iteration', 'timeline', 'links', 'traffic', 'numbers'],
    drawings: [
      'Time per layer',
      'How much each dimension of the network was in use',
      'What ran when',
      'Links over time',
      'The network, by load',
      'Traffic matrix',
    ],
  },
  flows: {
    sections: ['timeline', 'completion', 'links', 'traffic', 'numbers'],
    drawings: [
      'What ran when',
      'Flow completion times',
      'Longest queue of each tier over time',
      'Queues, link by link',
      'Links over time',
      'The network, by load',
      'Traffic matrix',
    ],
  },
  train: {
    sections: ['timeline', 'training', 'quality', 'cache', 'numbers'],
    drawings: [
      'What ran when',
      'Loss',
      'AUC',
      'Accuracy',
      'Throughput',
      'Time per step',
      'Shares',
      'Bytes',
      'Rows per step',
      'Rows in the cache',
      'ROC curve',
      'Calibration',
      'Miss ratio by size of the cache',
    ],
  },
  study: {
    sections: ['study', 'figures', 'cells', 'scaling', 'numbers'],
    drawings: [
      'By nodes (matrix.csv)',
      'Ours and published',
      "The paper's headline: Opera with dps over the fat tree with a ring, model A",
      'Model A: iteration time over nodes, as published',
      'Model A, baseline: iteration time, as published',
      'Model A, baseline: what the bytes on the fat tree are for',
      'Model A, baseline, 16 nodes: when tasks ended',
      'Model A, baseline, 128 nodes: when tasks ended',
    ],
  },
  tutorial: {
    sections: ['study', 'figures', 'cells', 'tables', 'numbers'],
    drawings: [
      'Raw communication per layer, 32 nodes (2x4x4)',
      'Compute against exposed communication per layer, 32 nodes (2x4x4)',
      'Queueing per phase and layer, 32 nodes (2x4x4)',
      'Message delay per phase and layer, 32 nodes (2x4x4)',
      'Raw communication per layer, 64 nodes (4x4x4)',
      'Compute against exposed communication per layer, 64 nodes (4x4x4)',
      'Queueing per phase and layer, 64 nodes (4x4x4)',
      'Message delay per phase and layer, 64 nodes (4x4x4)',
      'Compute and exposed communication by nodes',
      'Faster nodes, 32 nodes',
    ],
  },
  sound: {
    sections: ['study', 'figures', 'cells', 'scaling', 'numbers'],
    drawings: [
      'By nodes (matrix.csv)',
      "The paper's headline: Opera with dps over the fat tree with a ring, model A",
      'Model A: iteration time over nodes, sound',
      'Model A, baseline: iteration time, sound',
      'Model A, baseline: what the bytes on the fat tree are for',
      'Model A, baseline, 16 nodes: when tasks ended',
      'Model A, baseline, 128 nodes: when tasks ended',
    ],
  },
  opera: {
    sections: ['timeline', 'completion', 'links', 'traffic', 'schedule', 'numbers'],
    drawings: [
      'What ran when',
      'Flow completion times',
      'Longest queue of each tier over time',
      'Longest queue of each tier over time, tiers with short queues',
      'Queues, link by link',
      'Links over time',
      'The network, by load',
      'Traffic matrix',
      'Who faces whom, slot by slot',
    ],
  },
  sweep: {
    sections: ['sweep', 'numbers'],
    drawings: ['What matters most', 'What is worth its price', 'One key at a time', 'All keys at once'],
  },
  collective: { sections: ['timeline', 'scaling', 'numbers'], drawings: ['By size (collective.csv)', 'What ran when'] },
  replay: {
    sections: ['iteration', 'timeline', 'links', 'traffic', 'numbers'],
    drawings: ['Time per layer', 'What ran when', 'Links over time', 'The network, by load', 'Traffic matrix'],
  },
  validation: { sections: ['validation', 'numbers'], drawings: ['How far from the reference'] },
};

for (const [name, expected] of Object.entries(VIEWS)) {
  for (const [width, scheme] of [
    [1100, 'light'],
    [360, 'dark'],
  ]) {
    test(
      `${name}, ${width} px, ${scheme}: every view is drawn, without errors, requests or sideways scrolling`,
      { skip },
      async () => {
        const { page: tab, problems, close } = await open(browser, page(name), { width, scheme });
        assert.deepEqual(problems, []);
        const sections = await tab.evaluate(() => [...document.querySelectorAll('section')].map((s) => s.id));
        for (const id of expected.sections) assert.ok(sections.includes(id), `no section ${id} among ${sections}`);
        const found = await drawings(tab);
        for (const title of expected.drawings) {
          const drawing = found.find((d) => d.title === title);
          assert.ok(drawing, `no drawing "${title}" among ${found.map((d) => d.title)}`);
          assert.ok(drawing.drawn, `"${title}" is empty`);
        }
        assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth), width);
        await close();
      },
    );
  }
}

// "159.8 us" back to what summary.json says, in the unit of the key.
function parse(text, key) {
  const [, number, unit] = /^([\d.\u202f,]+)[\s\u00a0]?(.*)$/.exec(text.trim());
  const value = Number(number.replaceAll(/[\u202f,]/g, ''));
  const time = { ps: 1e-6, ns: 1e-3, us: 1, ms: 1e3, s: 1e6 };
  const bytes = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
  if (key.endsWith('_us')) return value * time[unit];
  if (/(^|_)seconds(_mean|_median|_deviation)?$/.test(key)) return (value * (time[unit] ?? time.s)) / time.s;
  if (/GB_per_s$|_gbps$/.test(key)) return value * (unit === 'Tbps' ? 1000 : 1);
  if (key.endsWith('_bytes')) return value * bytes[unit];
  if (unit === '%' && !key.endsWith('_percent')) return value / 100;
  return value * ({ k: 1e3, M: 1e6, G: 1e9 }[unit[0]] ?? 1);
}

for (const name of ['simulate', 'flows', 'opera', 'train', 'study', 'sweep', 'collective', 'replay']) {
  test(`${name}: the numbers in the page are those of summary.json`, { skip }, async () => {
    const summary = JSON.parse(readFileSync(join(pages[name](), 'summary.json'), 'utf8'));
    const { page: tab, close } = await open(browser, page(name));
    const shown = await tab.evaluate(() =>
      [...document.querySelectorAll('[data-key]')].map((e) => [e.dataset.key, Number(e.dataset.value), e.textContent]),
    );
    const byKey = new Map(shown.map(([key, value, text]) => [key, { value, text }]));
    for (const [key, value] of Object.entries(summary)) {
      if (typeof value !== 'number') continue;
      assert.ok(byKey.has(key), `${key} is not in the page`);
      assert.equal(byKey.get(key).value, value, key);
    }
    for (const [key, value, text] of shown.filter(([key]) => !key.includes('.'))) {
      assert.ok(Math.abs(parse(text, key) - value) <= 6e-4 * Math.abs(value), `${key}: ${text} is not ${value}`);
    }
    await close();
  });
}

test('200,000 slices: drawn within a second of opening, zoomed within 50 ms a frame', { skip }, async () => {
  const file = join(
    folder('long', () => samples.longTrace()),
    'report.html',
  );
  const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const tries = [];
  // Other work on the machine only ever makes it slower: the best of a few tries is what the page takes.
  for (let i = 0; i < 5; i++) {
    const { page: tab, problems, cpu, close } = await open(browser, file, { ready: false });
    await tab.waitForFunction(() => window.overtureTimeline?.painted > 0);
    const used = await cpu();
    const { painted, slices } = await tab.evaluate(() => window.overtureTimeline);
    assert.ok(slices >= 199_000);
    const frames = await tab.evaluate(() =>
      [0.5, 0.5, 0.5, 0.7, 0.7, 2, 2, 3, 0.1, 10].map((factor) => window.overtureTimeline.zoom(factor)),
    );
    tries.push({ painted, used, frame: median(frames) });
    assert.deepEqual(problems, []);
    await close();
  }
  const best = (key) => Math.min(...tries.map((t) => t[key]));
  console.log(
    `first paint ${best('painted').toFixed(0)} ms, ${best('used').toFixed(0)} ms of them computing; a frame ${best('frame').toFixed(1)} ms`,
  );
  // The clock says more than a second only where others take the processor.
  assert.ok(Math.min(best('painted'), best('used')) < 1000, `the first paint took ${best('used')} ms of computing`);
  assert.ok(best('frame') < 50, `a frame took ${best('frame')} ms`);
});

test('the timeline answers to hover, click, search and keys', { skip }, async () => {
  const { page: tab, close } = await open(browser, page('simulate'));
  const canvas = tab.locator('#timeline canvas');
  await canvas.scrollIntoViewIfNeeded();
  const picture = () => canvas.evaluate((c) => c.toDataURL());
  await tab.getByLabel('Search slices').fill('embedding');
  await tab.waitForFunction(() => /[1-9]\d* found/.test(document.querySelector('#timeline').textContent));
  await tab.getByLabel('Search slices').press('Enter');
  await tab.waitForFunction(() => /layer: Embedding/.test(document.querySelector('.picked').textContent));
  await tab.waitForTimeout(100);
  const zoomed = await picture();
  await canvas.focus();
  await tab.keyboard.press('0');
  await tab.waitForTimeout(100);
  assert.notEqual(await picture(), zoomed);
  const box = await canvas.boundingBox();
  await tab.mouse.move(box.x + 200, box.y + 22 + 8);
  await tab.waitForFunction(() => /step \d/.test(document.querySelector('.tip')?.textContent ?? ''));
  await close();
});

// A page changes its width when it is printed: the levels of the drawing stay.
test('the network keeps its shape when the page gets narrower', { skip }, async () => {
  const { page: tab, close } = await open(browser, page('opera'));
  const rows = () =>
    tab.locator('#links canvas').nth(1).evaluate((canvas) => {
      const { width, height } = canvas;
      const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer);
      const ink = pixels[16 * width + Math.round((16 + 0.5 * (width - 32) / 4))]; // the first rotor of four
      return ink !== undefined && ink >>> 24 === 255;
    });
  assert.ok(await rows());
  await tab.setViewportSize({ width: 720, height: 900 });
  await tab.waitForTimeout(300);
  assert.ok(await rows());
  await close();
});

test('tables sort by keyboard and copy as CSV', { skip }, async () => {
  const { page: tab, close } = await open(browser, page('simulate'));
  await tab.getByText('Layers and passes as a table').click();
  const table = tab.locator('#iteration details table').first();
  await table.getByRole('button', { name: 'compute' }).focus();
  await tab.keyboard.press('Enter');
  const values = await table
    .locator('tbody tr td:nth-child(3)')
    .evaluateAll((cells) => cells.map((c) => Number(c.dataset.value)));
  assert.ok(values.length > 5);
  assert.deepEqual(
    values,
    [...values].sort((a, b) => b - a),
  );
  assert.equal(await table.locator('th').nth(2).getAttribute('aria-sort'), 'descending');
  const copied = await tab.evaluate(async () => {
    let text = '';
    navigator.clipboard.writeText = async (t) => void (text = t);
    document.querySelector('#iteration details .tools button:last-child').click();
    await new Promise((resolve) => setTimeout(resolve, 50));
    return text;
  });
  assert.equal(copied.split('\n')[0], 'layer,pass,compute_us,communication_us,exposed_us');
  await close();
});

test('everything that can be clicked can be reached with Tab', { skip }, async () => {
  const { page: tab, close } = await open(browser, page('simulate'));
  const unreachable = await tab.evaluate(() =>
    [...document.querySelectorAll('button, select, input, a, summary, canvas')]
      .filter((e) => e.tabIndex < 0 && !e.hidden)
      .map((e) => e.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(unreachable, []);
  await close();
});

test('a comparison shows every number of every run and what changed', { skip }, async () => {
  const first = pages.simulate();
  const second = folder('slower', () => samples.simulate('slower', 'network.dimensions.0.bandwidth=8 GiB/s'));
  const out = join(samples.scratch, 'compare');
  const said = samples.overture('compare', first, second, '-o', out);
  assert.match(said, /iteration +159\.8 us/);
  assert.match(said, /network\.dimensions\.0\.bandwidth/);
  const { page: tab, problems, close } = await open(browser, join(out, 'report.html'));
  assert.deepEqual(problems, []);
  const summaries = [first, second].map((f) => JSON.parse(readFileSync(join(f, 'summary.json'), 'utf8')));
  for (const run of [0, 1]) {
    const cell = tab.locator(`#compare [data-key="iteration_us"][data-run="${run}"]`);
    assert.equal(Number(await cell.getAttribute('data-value')), summaries[run].iteration_us);
  }
  const change = (100 * (summaries[1].iteration_us - summaries[0].iteration_us)) / summaries[0].iteration_us;
  const text = await tab.locator('#compare [data-key="iteration_us"][data-run="1"]').textContent();
  assert.ok(text.includes(`${Math.abs(change).toFixed(1)}`), `${text} does not tell ${change} %`);
  await tab.locator('.tabs button', { hasText: 'slower' }).click();
  await tab.waitForFunction(
    (value) => Number(document.querySelector('.cards [data-key=iteration_us]').dataset.value) === value,
    summaries[1].iteration_us,
  );
  await close();
});

test('a sound study shows the published points, says under which conditions, and claims no error', { skip }, async () => {
  const { page: tab, close } = await open(browser, page('sound'));
  const scaling = await tab.locator('#scaling').innerText();
  assert.match(scaling, /published \(with every artefact of the published runs\)/);
  assert.doesNotMatch(scaling, /Ours and published/);
  assert.ok((await tab.locator('#scaling svg circle[stroke]:not([fill]), #scaling svg g[fill="none"] circle').count()) > 4);
  await close();
});

// HTA's parser: the rank by a regular expression on the text, kernels by cat and args.stream, communication by name,
// steps by ProfilerStep; a kernel joins the host's row with its correlation. Perfetto: rows of a thread nest, arrows
// have two ends, counters are numbers.
function checkTrace(path, rank) {
  const text = gunzipSync(readFileSync(path)).toString('utf8');
  assert.equal(Number(/"rank":\s+(\d+)/.exec(text)[1]), rank, 'the rank that HTA finds');
  const trace = JSON.parse(text);
  assert.equal(trace.schemaVersion, 1);
  assert.ok(trace.distributedInfo.world_size > rank);
  const rows = trace.traceEvents;
  const spans = rows.filter((r) => r.ph === 'X');
  const steps = spans.filter((r) => /^ProfilerStep#\d+$/.test(r.name) && r.cat === 'user_annotation');
  assert.ok(steps.length > 0, 'steps');
  const launches = new Set(steps.map((r) => `${r.pid} ${r.args.correlation}`));
  const kernels = spans.filter((r) => r.cat === 'kernel');
  assert.ok(kernels.length > 0, 'kernels');
  for (const row of kernels) {
    assert.ok(Number.isInteger(row.args.stream) && row.args.stream > 0 && row.args.stream === row.tid, row.name);
    assert.ok(row.ts >= 0 && row.dur >= 0, row.name);
    assert.ok(row.args.correlation === 0 || launches.has(`${row.pid} ${row.args.correlation}`), row.name);
    if (!/^nccl/.test(row.name)) continue;
    for (const key of ['Collective name', 'dtype', 'Process Group Name']) assert.equal(typeof row.args[key], 'string', key);
    for (const key of ['In msg nelems', 'Out msg nelems', 'Group size']) assert.ok(row.args[key] >= 0, key);
  }
  const ends = new Map(); // of a thread: when what is open ends, the innermost last
  for (const row of spans) {
    const open = ends.get(`${row.pid} ${row.tid}`) ?? [];
    while (open.length > 0 && open.at(-1) <= row.ts + 1e-5) open.pop();
    assert.ok(open.length === 0 || row.ts + row.dur <= open.at(-1) + 1e-5, `${row.name} overlaps another row in part`);
    ends.set(`${row.pid} ${row.tid}`, [...open, row.ts + row.dur]);
  }
  const arrows = (ph) =>
    rows
      .filter((r) => r.ph === ph)
      .map((r) => r.id)
      .sort((a, b) => a - b);
  assert.deepEqual(arrows('s'), arrows('f'));
  const counters = rows.filter((r) => r.ph === 'C');
  for (const row of counters) assert.ok(Number.isFinite(row.args.value), row.name);
  return {
    communicates: kernels.some((r) => /^nccl/.test(r.name)),
    arrows: arrows('s').length,
    counters,
    note: trace.overture_note,
  };
}

const COUNTERS = {
  simulate: /dimension 0 in use/,
  flows: /link utilisation %, tier/,
  opera: /link utilisation %, rotor 0/,
  replay: /link utilisation %, tier/,
  train: undefined,
};
for (const [name, counter] of Object.entries(COUNTERS))
  test(`${name}: its traces are what HTA and Perfetto read`, { skip }, () => {
    const path = pages[name]();
    const all = checkTrace(join(path, 'trace.json.gz'), 0);
    if (name !== 'train') assert.ok(all.communicates, 'HTA finds communication');
    if (counter) assert.ok(all.counters.some((c) => counter.test(c.name)), 'counters');
    if (name === 'simulate') assert.match(all.note, /^rank 0 stands for all 64 NPUs/);
    const hta = join(path, 'hta');
    if (!existsSync(hta)) return;
    for (const file of readdirSync(hta)) checkTrace(join(hta, file), Number(/\d+/.exec(file)[0]));
    assert.ok(all.arrows > 0);
  });

test('the page of a training names model and optimizer, and draws ROC and calibration', { skip }, async () => {
  const { page: tab, close } = await open(browser, page('train'));
  const facts = await tab.textContent('dl.facts');
  assert.match(facts, /model.*dlrm/is);
  assert.match(facts, /optimizer.*learning rate/is);
  assert.match(await tab.textContent('#quality'), /ROC curve[\s\S]*Calibration/);
  await close();
});

test('the points of a sweep lead to their own reports', { skip }, async () => {
  const folder = pages.sweep();
  const { page: tab, close } = await open(browser, join(folder, 'report.html'));
  const links = await tab.$$eval('#sweep details a', (all) => all.map((a) => a.getAttribute('href')));
  assert.ok(links.length >= 4);
  for (const link of links) assert.ok(existsSync(join(folder, decodeURI(link))), link);
  await close();
});

test('links that do the same are one row', { skip }, async () => {
  const { page: tab, close } = await open(browser, page('simulate'));
  assert.match(await tab.textContent('#links'), /never differ by more than a tenth/);
  await close();
});

test('a report of 1,024 hosts is under 10 MB', { skip }, () => {
  const big = samples.flows(
    'big',
    'network.topology={fat_tree: {k: 16}}',
    'traffic={pattern: all_to_all, size: 2 KiB, group: 256}',
  );
  assert.equal(JSON.parse(readFileSync(join(big, 'summary.json'), 'utf8')).hosts, 1024);
  const size = statSync(join(big, 'report.html')).size;
  console.log(`1,024 hosts: ${(size / 1e6).toFixed(2)} MB`);
  assert.ok(size < 10e6);
});

test('the committed template was built from these sources', () => {
  const web = join(dirname(fileURLToPath(import.meta.url)), '..');
  execFileSync(process.execPath, [join(web, 'build.mjs'), '--check'], { stdio: 'pipe' });
  const template = readFileSync(join(web, 'dist', 'template.html'), 'utf8');
  assert.ok(template.length < 500_000);
  assert.equal(template.split('@OVERTURE_DATA@').length, 2);
});

test('a study shows its claims, every layer, links to its cells and their setups to copy', { skip }, async () => {
  const { page: tab, close } = await open(browser, page('tutorial'), { width: 1100, scheme: 'light' });
  const text = await tab.evaluate(() => document.querySelector('#study').textContent);
  assert.match(text, /310 of the 313 numbers/);
  assert.match(text, /Only the first layer|only the first layer/);
  assert.match(text, /4875\.201 us/);
  assert.equal(await tab.evaluate(() => document.querySelectorAll('#study .verdict.not-met').length > 0), true);
  const layers = await tab.evaluate(
    () => [...document.querySelectorAll('#figures figure')][0].querySelectorAll('svg g[aria-label] rect').length,
  );
  assert.equal(layers, 54);
  const links = await tab.evaluate(() =>
    [...document.querySelectorAll('#cells tbody a')].map((a) => a.getAttribute('href')),
  );
  assert.ok(links.includes('cells/4x4x4/report.html'), String(links));
  for (const link of links) assert.ok(existsSync(join(pages.tutorial(), link)), link);
  const setup = await tab.evaluate(
    () => document.querySelector('#cells tbody tr td button[title*="network:"]').getAttribute('title'),
  );
  assert.match(setup, /layers:/);
  await close();
});

test('the HOTI study shows its scoreboard, a bar for every collective and links to its cells', { skip }, async () => {
  const { page: tab, close } = await open(browser, page('hoti'), { width: 400, scheme: 'light' });
  const text = await tab.evaluate(() => document.querySelector('#study').textContent);
  for (const id of ['P01', 'R01', 'R09', 'I12']) assert.match(text, new RegExp(id));
  assert.match(text, /not stated|leave open/);
  const figures = await tab.evaluate(() => [...document.querySelectorAll('#figures figure')].map((f) => f.textContent));
  assert.ok(figures.some((f) => f.includes('Raw latency per layer')), String(figures));
  assert.ok(figures.some((f) => f.includes('Effect of memory copies')), String(figures));
  const links = await tab.evaluate(() => [...document.querySelectorAll('#cells tbody a')].map((a) => a.getAttribute('href')));
  assert.equal(links.length, 10);
  for (const link of links) assert.ok(existsSync(join(pages.hoti(), link)), link);
  await close();
});
