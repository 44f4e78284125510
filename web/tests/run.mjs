// For CTest: runs the browser tests, or ends with 77, "skipped", where what they need is not installed.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from './browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
if (!chromium || !existsSync(join(here, '..', 'node_modules', 'playwright-core'))) {
  console.log('skipped: needs chromium and, in web/, npm ci');
  process.exit(77);
}
const tests = ['report.test.mjs', 'runs.test.mjs'].map((file) => join(here, file));
process.exit(
  spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...tests], { stdio: 'inherit' }).status ?? 1,
);
