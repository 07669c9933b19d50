import { expect, test } from 'vitest';
import { type CheckedModule, requiredModules } from './check-schemas.ts';
import { installCommand } from './source-result.ts';

function schema(libraries: readonly string[], missing: readonly string[] = []): CheckedModule {
  return {
    path: 'a.mjs',
    isSchema: true,
    isAgent: false,
    status: true,
    main: { requiredLibraries: [...libraries] },
    findings: missing.map((name) => ({
      code: 'LIB001',
      severity: 'warning',
      path: `main.requiredLibraries[${libraries.indexOf(name)}]`,
      message: name,
    })),
    brokenFiles: [],
    references: [],
  };
}

const registry = (modules: unknown) => ({ schemas: [{ file: 'a.mjs', requiredModules: modules }] });

test('required packages are those that schemas use, without built-in modules', () => {
  expect(requiredModules([schema(['ethers', 'crypto'], ['ethers']), schema(['moment'])], null)).toEqual([
    { name: 'ethers', version: null, isInstalled: false },
    { name: 'moment', version: null, isInstalled: true },
  ]);
});

test('a registry can set a version, but cannot add a package', () => {
  const modules = [{ name: 'ethers', version: '^6.13.0' }, { name: 'evil', version: '1.0.0' }, 7, { name: 'x' }];
  expect(requiredModules([schema(['ethers'])], registry(modules))).toEqual([
    { name: 'ethers', version: '^6.13.0', isInstalled: true },
  ]);
});

test.each(['6; rm -rf x', 'file:../evil', 'npm:evil@1', '$(x)', 'git+https://x', '', '>=1'])(
  'a version that is more than a range is left out: %s',
  (version) => {
    const [module] = requiredModules([schema(['ethers'])], registry([{ name: 'ethers', version }]));
    expect(module?.version).toBe(null);
  },
);

test('the command names each missing package once', () => {
  const missing = { name: 'ethers', version: '^6', isInstalled: false };
  const there = { name: 'moment', version: null, isInstalled: true };
  const canvas = { name: 'canvas', version: null, isInstalled: false };
  expect(installCommand([there], { home: '/home/me/.schemakit' })).toBeUndefined();
  expect(installCommand([missing, there, canvas, missing], { home: '/home/me/.schemakit' })).toBe(
    'npm install --prefix /home/me/.schemakit ethers@^6 canvas',
  );
});
