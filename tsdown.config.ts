import { defineConfig, type UserConfig } from 'tsdown';

const shared = { format: 'esm', platform: 'node', target: 'node22.19', dts: true, fixedExtension: false } as const;

/** What every command needs is one file: to find and open a dozen takes longer than to compile them. None of it may load the library. */
const everyCommand =
  /cli\/src\/(?:output\/.*|settings\/(?!write-settings).*|[a-z-]*routes|completion\/scripts|end-on-signals|mode-gate|node-util|open-settings|parameters|print-findings|printable|run-command|run-command-line)\.ts$/;

/** What is needed to know where compiled code is kept: only what is loaded after it is compiled once. */
const beforeCompileCache =
  /cli\/src\/(?:compile-cache|global-flags|make-folder|own-version|settings\/settings-places)\.ts$/;

/** What finds a tool by a word or a name is one file for the same reason. */
const toolIndex =
  /cli\/src\/(?:tool-index\/(?!describe-schema|read-schemas|resolve-reference|list-words).*|tools\/(?:open-index|resolve-references|schema-roots|shell-word|text-hash|reading-progress)|demo\/load-sqlite)\.ts$/;

/**
 * An `import` of `node:fs` by its names evaluates all of them, also those that load `node:fs/promises`, streams and what these need:
 * that takes longer than to read the settings. What is got as an object has only what is asked for.
 */
const fsAsObject = {
  name: 'fs-as-object',
  renderChunk: (code: string) =>
    code.replace(
      /^import \{ ([^}]*) \} from "node:fs";$/m,
      (_, names: string) => `const { ${names.replaceAll(' as ', ': ')} } = process.getBuiltinModule("node:fs");`,
    ),
};

const configs: UserConfig[] = defineConfig([
  { ...shared, cwd: 'packages/http', entry: ['src/index.ts'] },
  { ...shared, cwd: 'packages/core', entry: ['src/index.ts', 'src/v1.ts'] },
  // Host programs are processes of their own that may read one file: builds of their own, so that they share no chunk.
  { ...shared, cwd: 'packages/core', entry: ['src/handlers/handler-host.ts'], dts: false, clean: false },
  { ...shared, cwd: 'packages/core', entry: ['src/resources/query-host.ts'], dts: false, clean: false },
  { ...shared, cwd: 'packages/server', entry: { index: 'src/index.ts', stdio: 'src/stdio/index.ts' } },
  { ...shared, cwd: 'packages/validator', entry: ['src/index.ts'] },
  // The catalog travels with the command: `schemakit demo` and `schemakit init` use it offline.
  {
    ...shared,
    cwd: 'packages/cli',
    entry: ['src/main.ts'],
    dts: false,
    copy: [{ from: '../../catalog', to: 'dist' }],
    plugins: [fsAsObject],
    outputOptions: {
      codeSplitting: {
        groups: [
          { name: 'first', test: beforeCompileCache, priority: 1 },
          { name: 'start', test: everyCommand },
          { name: 'tool-index', test: toolIndex },
        ],
      },
    },
  },
]);

export default configs;
