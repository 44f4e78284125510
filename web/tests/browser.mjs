// Debian's Chromium, driven by playwright-core: opens a page from file:// and watches what it must not do.

import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const chromium = places.find((place) => place && existsSync(place));

export async function launch() {
  const playwright = await import('playwright-core');
  return playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
}

// `problems` gathers console errors, page errors, and requests for anything but the page itself.
export async function open(browser, file, { width = 1100, height = 900, scheme = 'light', ready = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, deviceScaleFactor: 1 });
  const page = await context.newPage();
  const problems = [];
  const url = pathToFileURL(file).href;
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && problems.push(`console: ${message.text()}`),
  );
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on(
    'request',
    (request) =>
      request.url() !== url && !request.url().startsWith('blob:') && problems.push(`request: ${request.url()}`),
  );
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(url);
  if (ready) await page.waitForSelector('html[data-ready]', { timeout: 30_000 });
  // Processor time of the page's main thread so far, ms: unlike the clock, the same on a busy machine.
  const cpu = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * metrics.find((m) => m.name === 'TaskDuration').value;
  };
  return { page, problems, cpu, close: () => context.close() };
}
