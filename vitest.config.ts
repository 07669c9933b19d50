import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

// Tests have a home of their own: nothing of them is left in the user's.
const home = join(import.meta.dirname, 'node_modules', '.test-home');
mkdirSync(home, { recursive: true });
process.env.HOME = home;
delete process.env.XDG_CACHE_HOME;

const config: ViteUserConfig = defineConfig({
  // Workspace packages are tested from their sources; see the `@schemakit/source` condition in each package's `exports`.
  resolve: { conditions: ['@schemakit/source', 'node', 'import', 'default'] },
  // These reach the workers as conditions of Node: `import` among them would break packages that require others.
  ssr: { resolve: { conditions: ['@schemakit/source', 'node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: ['default', './tests/closing-line.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});

export default config;
