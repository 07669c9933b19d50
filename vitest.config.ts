import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Workspace packages are tested from their sources; see the `source` condition in each package's `exports`.
  resolve: { conditions: ['source', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: ['source', 'node', 'import', 'default'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: ['default', './tests/closing-line.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
