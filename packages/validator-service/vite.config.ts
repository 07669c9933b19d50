import { join } from 'node:path';
import { defineConfig, type UserConfig } from 'vite';

/** Builds the browser's part of the page; `src/page/render.tsx` renders the same components on the server. */
const config: UserConfig = defineConfig({
  resolve: { conditions: ['@schemakit/source', 'browser', 'import', 'default'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(import.meta.dirname, 'dist/page'),
    emptyOutDir: true,
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    rolldownOptions: { input: join(import.meta.dirname, 'src/page/main.tsx') },
  },
});

export default config;
