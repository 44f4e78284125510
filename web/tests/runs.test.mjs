// The page of all runs that `overture serve` shows, in a real browser: listed, searched, filtered, sorted, tagged,
// compared, and watched while one is under way.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium, launch } from './browser.mjs';
import * as samples from './samples.mjs';

const missing = !chromium
  ? 'needs chromium'
  : !existsSync(samples.program)
    ? `needs ${samples.program}; set OVERTURE`
    : false;
const skip = missing || undefined;
const home = join(samples.scratch, 'home');
let browser;
let server;
let url;

function put(path, files) {
  mkdirSync(join(home, path), { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(home, path, name), typeof content === 'string' ? content : JSON.stringify(content));
}

before(async () => {
  if (missing) return;
  samples.flows('home/first');
  samples.flows('home/second', 'seed=2');
  put('sweeps/one', { 'summary.json': { name: 'a sweep', kind: 'sweep', points: 4, finished: 4, why: 'seed matters' } });
  put('sweeps/one/points/0001-ab', { 'summary.json': { name: 'a point', kind: 'flows', makespan_us: 7 } });
  put('broken', { 'summary.json': { name: 'stopped', kind: 'flows', complete: false } });
  put('<b>odd', { 'summary.json': { name: '<img src=x onerror=alert(1)>', kind: 'train', loss: 0.5 } });
  samples.overture('tag', join(home, 'first'), 'baseline');
  server = spawn(samples.program, ['serve', home, '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  url = await new Promise((told) => server.stdout.once('data', (data) => told(JSON.parse(String(data)).url)));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.kill('SIGINT');
  rmSync(samples.scratch, { recursive: true, force: true });
});

async function open(options = {}) {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1200, height: 800 },
    colorScheme: options.scheme ?? 'light',
  });
  const page = await context.newPage();
  const problems = [];
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && problems.push(m.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (r) => !r.url().startsWith(url) && problems.push(`request: ${r.url()}`));
  await page.goto(url);
  await page.waitForSelector('html[data-ready]');
  return { page, problems };
}
const paths = (page) => page.$$eval('tr[data-path]', (rows) => rows.map((row) => row.dataset.path));

test('all runs are listed with command, result and why', { skip }, async () => {
  const { page, problems } = await open();
  assert.deepEqual(new Set(await paths(page)), new Set(['first', 'second', 'sweeps/one', 'broken', '<b>odd']));
  const first = await page.textContent('tr[data-path="first"]');
  assert.match(first, /flows/);
  assert.match(first, /makespan [\d.]+ us/);
  assert.match(first, /busiest link/);
  assert.match(await page.textContent('tr[data-path="broken"]'), /interrupted/);
  assert.deepEqual(problems, []);
});

test('search, command and tag leave what matches', { skip }, async () => {
  const { page } = await open();
  await page.fill('input[type=search]', 'seed matters');
  assert.deepEqual(await paths(page), ['sweeps/one']);
  await page.fill('input[type=search]', '');
  await page.selectOption('select[aria-label=Tag]', 'baseline');
  assert.deepEqual(await paths(page), ['first']);
  await page.selectOption('select[aria-label=Tag]', '');
  await page.selectOption('select[aria-label=Command]', 'train');
  assert.deepEqual(await paths(page), ['<b>odd']);
});

test('points of sweeps are listed when they are asked for', { skip }, async () => {
  const { page } = await open();
  assert.match(await page.textContent('.runs-bar'), /5 of 5 runs/);
  await page.check('label:has-text("points of sweeps") input');
  assert.ok((await paths(page)).includes('sweeps/one/points/0001-ab'));
  assert.match(await page.textContent('.runs-bar'), /6 of 6 runs/);
});

test('every choice has a word, and a sorted column one arrow', { skip }, async () => {
  const { page } = await open();
  assert.equal(await page.textContent('select[aria-label=Tag] option'), 'every tag');
  assert.equal(await page.textContent('select[aria-label=Command] option'), 'every command');
  assert.doesNotMatch(await page.textContent('thead'), /[\u2191\u2193]/); // the style draws it
});

test('a heading sorts, and sorts the other way', { skip }, async () => {
  const { page } = await open();
  await page.click('th button:has-text("Run")');
  const up = await paths(page);
  await page.click('th button:has-text("Run")');
  assert.deepEqual(await paths(page), up.reverse());
});

test('names are text, whatever they hold', { skip }, async () => {
  const { page, problems } = await open();
  assert.equal(await page.$('main img'), null);
  assert.match(await page.textContent('tr[data-path="<b>odd"]'), /onerror/);
  assert.deepEqual(problems, []);
});

test('two selected runs are compared', { skip }, async () => {
  const { page } = await open();
  await page.check('tr[data-path="first"] input');
  await page.check('tr[data-path="second"] input');
  await page.click('a.compare');
  await page.waitForSelector('html[data-ready]');
  const text = await page.textContent('main');
  assert.match(text, /first/);
  assert.match(text, /second/);
});

test('a run opens its report', { skip }, async () => {
  const { page } = await open();
  await page.click('tr[data-path="first"] a');
  await page.waitForSelector('html[data-ready]');
  assert.match(page.url(), /first\/report\.html$/);
});

test('a run under way moves, and its curves can be watched', { skip }, async () => {
  const { page } = await open();
  const step = (n, more = '') => `{"step": ${n}, "loss": ${1 / (n + 1)}${more}}\n`;
  const beat = (done) => put('live', { 'progress.json': { kind: 'train', name: 'now', what: 'steps', done, total: 50 } });
  put('live', { 'metrics.jsonl': step(0, ', "held_out_auc": 0.5') + step(1) + step(2, ', "held_out_auc": 0.6') });
  beat(3);
  await page.waitForSelector('tr[data-path="live"] .running', { timeout: 15_000 });
  await page.click('tr[data-path="live"] button:has-text("Watch")');
  await page.waitForSelector('.live svg');
  assert.equal(await page.locator('.live svg').count(), 2);
  assert.match(await page.textContent('.live'), /steps 3 of 50/);
  beat(30);
  await page.waitForFunction(() => /30 of 50/.test(document.querySelector('.live').textContent), null, {
    timeout: 15_000,
  });
  rmSync(join(home, 'live'), { recursive: true });
});

for (const [name, options] of Object.entries({ light: {}, dark: { scheme: 'dark' }, phone: { width: 390 } })) {
  test(`nothing is wider than the window: ${name}`, { skip }, async () => {
    const { page } = await open(options);
    const [inner, wide] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
    assert.ok(wide <= inner, `${wide} > ${inner}`);
    if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `runs-${name}.png`), fullPage: true });
  });
}

test('nothing outside the folder is served, and nothing is written', { skip }, async () => {
  for (const path of ['..%2f..%2fetc%2fpasswd', '.hidden', 'compare?run=..%2f..&run=first']) {
    const answer = await fetch(url + path);
    assert.ok(answer.status === 404 || answer.status === 400, `${path}: ${answer.status}`);
  }
  assert.equal((await fetch(`${url}runs.json`, { method: 'POST' })).status, 405);
});
