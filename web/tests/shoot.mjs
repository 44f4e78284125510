// Pictures of reports, to look at: node tests/shoot.mjs OUT NAME=report.html... Wide in light and dark, a phone, and paper.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, open } from './browser.mjs';

const [out, ...reports] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const browser = await launch();
for (const report of reports) {
  const [name, file] = report.split('=');
  for (const [kind, options] of [
    ['light', {}],
    ['dark', { scheme: 'dark' }],
    ['phone', { width: 360, height: 740 }],
  ]) {
    const { page, problems, close } = await open(browser, file, options);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(out, `${name}-${kind}.png`), fullPage: true });
    if (kind === 'light') await page.pdf({ path: join(out, `${name}.pdf`), format: 'A4' });
    if (problems.length > 0) console.log(name, kind, problems);
    await close();
  }
}
await browser.close();
