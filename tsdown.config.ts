import { defineConfig, type UserConfig } from 'tsdown';

const shared = { format: 'esm', platform: 'node', target: 'node22.19', dts: true, fixedExtension: false } as const;

const configs: UserConfig[] = defineConfig([
  { ...shared, cwd: 'packages/http', entry: ['src/index.ts'] },
  // The host program is started as a process of its own, so it is an entry too.
  { ...shared, cwd: 'packages/core', entry: ['src/index.ts', 'src/handlers/handler-host.ts'] },
  { ...shared, cwd: 'packages/server', entry: ['src/index.ts'] },
  { ...shared, cwd: 'packages/cli', entry: ['src/main.ts'], dts: false },
]);

export default configs;
