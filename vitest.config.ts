import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  // Workspace packages are tested from their sources; see the `@schemakit/source` condition in each package's `exports`.
  resolve: { conditions: ['@schemakit/source', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: ['@schemakit/source', 'node', 'import', 'default'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: ['default', './tests/closing-line.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});

export default config;
