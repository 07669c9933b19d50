import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

// Tests build, too, and have another value.
process.env.NODE_ENV = 'production';

const page = join(import.meta.dirname, 'src/page');
const outDir = join(import.meta.dirname, 'dist/page');

const notLater = /node_modules|src\/page\/(?!lookup\/|compare\/|texts\/|styles\/|history\/history-view|main)/;

/** Writes each asset compressed, too, as the service sends it. */
const compress: Plugin = {
  name: 'compress',
  writeBundle() {
    const assets = join(outDir, 'assets');
    for (const name of readdirSync(assets))
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(readFileSync(join(assets, name))));
  },
};

/** Builds the browser's part of the page; `src/page/render.tsx` renders the same components on the server. */
const config: UserConfig = defineConfig({
  resolve: { conditions: ['@schemakit/source', 'browser', 'import', 'default'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  publicDir: join(page, 'public'),
  plugins: [compress],
  build: {
    outDir,
    emptyOutDir: true,
    manifest: 'manifest.json',
    modulePreload: false,
    rolldownOptions: {
      input: join(page, 'main.tsx'),
      // All but the languages and the views that are opened later is one file: many small ones compress worse, and each is a request.
      output: { codeSplitting: { groups: [{ name: 'page', test: notLater }] } },
    },
  },
});

export default config;
