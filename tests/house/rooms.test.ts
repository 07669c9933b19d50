import { describe, expect, test } from 'vitest';
import { importsOf, specifiersIn } from './imports-of.ts';

/** The folders of the core in order: each may import from those before it. */
const rooms = ['schema', 'module', 'sandbox', 'resources', 'lock', 'load', 'call', 'mcp'];

/** The packages in order. */
const packages = ['http', 'core', 'server', 'agent-server', 'validator', 'import', 'validator-service', 'cli'];

const home = 'packages/core/src/';

describe('the folders of the core', () => {
  test.each(rooms)('%s imports only from folders before it, and no entry point', (room) => {
    const allowed = rooms.slice(0, rooms.indexOf(room) + 1);
    const imports = importsOf(`${home}${room}/**/*.ts`).filter(({ target }) => target.startsWith('packages/'));
    const wrong = imports.filter(({ target }) => !allowed.some((name) => target.startsWith(`${home}${name}/`)));
    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
    expect(imports.length).toBeGreaterThan(0);
  });

  test('are all there are', () => {
    const files = importsOf(`${home}**/*.ts`).map(({ file }) => file.slice(home.length));
    const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]));
    expect([...folders].sort()).toEqual([...rooms, 'v1'].sort());
  });
});

test('fixtures are test data, which no product file imports', () => {
  const imports = importsOf('packages/*/src/**/*.{ts,tsx}').filter(({ file }) => !/-cases\.ts$/.test(file));
  expect(imports.filter(({ target }) => target.includes('/fixtures/'))).toEqual([]);
});

test.each(packages)('the package %s imports only packages above it', (name) => {
  const above = packages.slice(0, packages.indexOf(name)).map((other) => `@schemakit/${other}`);
  const imports = importsOf(`packages/${name}/src/**/*.ts`);
  const wrong = imports.filter(({ target }) =>
    target.startsWith('@schemakit/')
      ? !above.some((other) => target === other || target.startsWith(`${other}/`))
      : target.startsWith('packages/') && !target.startsWith(`packages/${name}/`),
  );
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test.each([
  ["import { a } from './a.ts';", ['./a.ts']],
  ["import type { A } from './a.ts';", ['./a.ts']],
  ["import a, {\n  type B,\n  c,\n} from './a.ts';\nimport './b.ts';", ['./a.ts', './b.ts']],
  ["export * from './a.ts';\nexport { b } from './b.ts';", ['./a.ts', './b.ts']],
  ["type A = import('./a.ts').A;\nconst b = await import('./b.ts');", ['./a.ts', './b.ts']],
  ["export const a = 'from';\nconst b = './b.ts';", []],
])('imports are found in %j', (text, expected) => {
  expect(specifiersIn(text)).toEqual(expected);
});
