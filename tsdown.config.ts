import { defineConfig, type UserConfig } from 'tsdown';

const shared = { format: 'esm', platform: 'node', target: 'node22.19', dts: true, fixedExtension: false } as const;

const configs: UserConfig[] = defineConfig([
  { ...shared, cwd: 'packages/http', entry: ['src/index.ts'] },
  { ...shared, cwd: 'packages/core', entry: ['src/index.ts'] },
  // The host program is a process of its own that may read one file: a build of its own, so that it shares no chunk.
  { ...shared, cwd: 'packages/core', entry: ['src/handlers/handler-host.ts'], dts: false, clean: false },
  { ...shared, cwd: 'packages/server', entry: ['src/index.ts'] },
  // The catalog travels with the command: `schemakit demo` and `schemakit init` use it offline.
  { ...shared, cwd: 'packages/cli', entry: ['src/main.ts'], dts: false, copy: [{ from: '../../catalog', to: 'dist' }] },
]);

export default configs;
