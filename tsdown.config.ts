import { defineConfig, type UserConfig } from 'tsdown';

const shared = { format: 'esm', platform: 'node', target: 'node22.19', dts: true, fixedExtension: false } as const;

/** An `import` evaluates all exports of these modules, which takes ten milliseconds. An object has only what is asked for. */
const builtinsAsObjects = {
  name: 'builtins-as-objects',
  renderChunk: (code: string) =>
    code.replace(
      /^import \{ ([^}]*) \} from ("node:(?:fs|util)");$/gm,
      (_, names: string, module: string) =>
        `const { ${names.replaceAll(' as ', ': ')} } = process.getBuiltinModule(${module});`,
    ),
};

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
  { ...shared, cwd: 'packages/validator', entry: ['src/index.ts'] },
  // The catalog travels with the command: `schemakit demo` and `schemakit init` use it offline.
  {
    ...shared,
    cwd: 'packages/cli',
    entry: ['src/main.ts'],
    dts: false,
    plugins: [builtinsAsObjects],
    // Few files, because each takes about a millisecond to load. `first` is loaded before compiled code is cached, so it is small.
    outputOptions: {
      codeSplitting: {
        groups: [
          {
            name: 'first',
            test: /cli.src.(main|commands.global-flags|settings.(settings-paths|make-folder))\./,
            priority: 1,
          },
          {
            name: 'start',
            test: /cli.src.(output.(?!confirm)|run-command|settings.(config|open|parse|read|settings)|commands.(parameters|end-on))/,
          },
          {
            name: 'index',
            test: /cli.src.(index.(?!read-files|watch-files|resolve-|search-)|groups.(references|schema-roots))/,
          },
          { name: 'search', test: /cli.src.(index|commands).search/ },
        ],
      },
    },
    copy: [{ from: '../../catalog', to: 'dist' }],
  },
]);

export default configs;
