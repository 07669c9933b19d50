import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration, type ViteUserConfig } from 'vitest/config';

const endToEnd = ['packages/*/src/**/*.e2e.test.ts', 'tests/{catalog,docs,e2e}/**/*.test.ts'];

const shared = {
  // Workspace packages are tested from their sources; see the `@schemakit/source` condition in each package's `exports`.
  resolve: { conditions: ['@schemakit/source', 'node', 'import', 'default'] },
  // These reach the workers as conditions of Node: `import` among them would break packages that require others.
  ssr: { resolve: { conditions: ['@schemakit/source', 'node'] } },
};

/** A group of test files; `npx vitest run --project <name>` runs one. Those that start processes get a fresh build first. */
function project(
  name: string,
  include: string[],
  { exclude = [], starts = true }: { exclude?: string[]; starts?: boolean } = {},
): TestProjectInlineConfiguration {
  return {
    ...shared,
    test: {
      name,
      include,
      exclude: ['**/node_modules/**', ...exclude],
      setupFiles: ['tests/setup/own-home.ts', ...(starts ? [] : ['tests/setup/no-processes.ts'])],
      ...(starts && { globalSetup: 'tests/setup/build.ts' }),
      // Every process that a test starts would compile the same programs again; each has an empty home.
      env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.test-home/compiled') },
      // Long enough for a machine with more workers than cores. A test that is about time says its own limit.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
    },
  };
}

const config: ViteUserConfig = defineConfig({
  test: {
    // Many tests wait for a deadline or a process; one more worker than cores uses that time.
    maxWorkers: availableParallelism() + 1,
    reporters: ['default', './tests/setup/closing-line.ts'],
    projects: [
      project('unit', ['packages/*/src/**/*.test.ts', 'tests/{fuzz,house}/**/*.test.ts'], {
        exclude: endToEnd,
        starts: false,
      }),
      project('e2e', endToEnd),
      project('attacks', ['tests/attacks/**/*.test.ts']),
      project('interop', ['tests/{conformance,interop,validator}/**/*.test.ts']),
    ],
  },
});

export default config;
