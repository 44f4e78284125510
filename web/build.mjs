// Builds the pages: dist/template.html, the report with the place for its data left open, and dist/runs.html, the list
// of all runs that `overture serve` shows. One file each, ASCII only. With --check it only tells whether the committed
// files were built from these sources. The hash of what they were built from stands in them.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const pages = [
  { frame: 'index.html', script: join('src', 'main.ts'), target: join(here, 'dist', 'template.html') },
  { frame: 'runs.html', script: join('src', 'runs', 'main.ts'), target: join(here, 'dist', 'runs.html') },
];

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? sources(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}

function sourceHash() {
  const hash = createHash('sha256');
  for (const file of [
    ...sources(join(here, 'src')),
    ...['index.html', 'runs.html', 'build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'].map((f) => join(here, f)),
  ]) {
    hash.update(file.slice(here.length).replaceAll('\\', '/')).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex').slice(0, 32);
}

const mark = `<meta name="overture-source" content="${sourceHash()}">`;

if (process.argv.includes('--check')) {
  const stale = pages.filter(({ target }) => !readFileSync(target, 'utf8').includes(mark));
  for (const { target } of stale)
    console.error(`${target} was not built from these sources: run \`npm ci && npm run build\` in web/`);
  process.exit(stale.length > 0 ? 1 : 0);
}

const { build } = await import('vite');

async function bundle(entry) {
  const result = await build({
    root: here,
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      cssCodeSplit: false,
      modulePreload: false,
      rollupOptions: { input: join(here, entry), output: { format: 'iife' } },
    },
  });
  const outputs = (Array.isArray(result) ? result[0] : result).output;
  return {
    script: outputs.find((o) => o.type === 'chunk').code,
    style: outputs.find((o) => o.type === 'asset' && o.fileName.endsWith('.css')).source.toString(),
  };
}

// Characters that every compiler and editor agrees on; the functions keep `$` from being read as a pattern.
const ascii = (text, escape) =>
  text.replaceAll(/[^\x00-\x7f]/g, (c) => escape(c.charCodeAt(0).toString(16).padStart(4, '0')));

for (const { frame, script: entry, target } of pages) {
  const { script, style } = await bundle(entry);
  const page = readFileSync(join(here, frame), 'utf8')
    .replace('<!--STYLE-->', () => `${mark}\n<style>${ascii(style, (hex) => `\\${hex} `).trim()}</style>`)
    .replace(
      '<!--SCRIPT-->',
      () =>
        `<script>${ascii(script, (hex) => `\\u${hex}`)
          .replaceAll('</script', '<\\/script')
          .trim()}</script>`,
    );
  if (!/^[\x00-\x7f]*$/.test(page)) throw new Error('the page has characters beyond ASCII');
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, page);
  console.log(`${target}: ${Math.round(page.length / 1000)} kB`);
}
