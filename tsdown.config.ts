import { defineConfig, type UserConfig } from 'tsdown';

const shared = { format: 'esm', platform: 'node', target: 'node22.19', dts: true, fixedExtension: false } as const;

const configs: UserConfig[] = defineConfig([
  { ...shared, cwd: 'packages/http', entry: ['src/index.ts'] },
  { ...shared, cwd: 'packages/core', entry: ['src/index.ts', 'src/lock.ts', 'src/internal.ts', 'src/v1.ts'] },
  // Host programs are processes of their own that may read one file: builds of their own, so that they share no chunk.
  { ...shared, cwd: 'packages/core', entry: ['src/sandbox/handler-process.ts'], dts: false, clean: false },
  { ...shared, cwd: 'packages/core', entry: ['src/resources/query-process.ts'], dts: false, clean: false },
  {
    ...shared,
    cwd: 'packages/server',
    entry: { index: 'src/index.ts', catalog: 'src/create-catalog-server.ts', search: 'src/discovery/tool-search.ts' },
  },
  {
    ...shared,
    cwd: 'packages/agent-server',
    entry: {
      index: 'src/index.ts',
      a2a: 'src/a2a/index.ts',
      payment: 'src/payment/index.ts',
      testing: 'src/testing/index.ts',
    },
  },
  { ...shared, cwd: 'packages/validator', entry: ['src/index.ts'] },
  { ...shared, cwd: 'packages/import', entry: ['src/index.ts'] },
  { ...shared, cwd: 'packages/validator-service', entry: ['src/index.ts', 'src/main.ts'] },
  // The catalog travels with the command: `schemakit demo` and `schemakit init` use it offline.
  {
    ...shared,
    cwd: 'packages/cli',
    entry: ['src/main.ts'],
    dts: false,
    copy: [{ from: '../../catalog', to: 'dist' }],
  },
]);

export default configs;
