// Builds the page into dist/template.html: one file, ASCII only, with the place for the data left open. With --check it
// only tells whether the committed file was built from these sources. The hash of what it was built from stands in it.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, 'dist', 'template.html');

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? sources(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}

function sourceHash() {
  const hash = createHash('sha256');
  for (const file of [
    ...sources(join(here, 'src')),
    ...['index.html', 'build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json'].map((f) => join(here, f)),
  ]) {
    hash.update(file.slice(here.length).replaceAll('\\', '/')).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex').slice(0, 32);
}

const mark = `<meta name="overture-source" content="${sourceHash()}">`;

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8').includes(mark)) process.exit(0);
  console.error('web/dist/template.html was not built from these sources: run `npm ci && npm run build` in web/');
  process.exit(1);
}

const { build } = await import('vite');
const result = await build({
  root: here,
  configFile: false,
  logLevel: 'warn',
  build: {
    write: false,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: { input: join(here, 'src', 'main.ts'), output: { format: 'iife' } },
  },
});
const outputs = (Array.isArray(result) ? result[0] : result).output;
const script = outputs.find((o) => o.type === 'chunk').code;
const style = outputs.find((o) => o.type === 'asset' && o.fileName.endsWith('.css')).source.toString();

// Characters that every compiler and editor agrees on; the functions keep `$` from being read as a pattern.
const ascii = (text, escape) =>
  text.replaceAll(/[^\x00-\x7f]/g, (c) => escape(c.charCodeAt(0).toString(16).padStart(4, '0')));
const page = readFileSync(join(here, 'index.html'), 'utf8')
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
