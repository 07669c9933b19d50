import { expect, test } from 'vitest';
import { circlesIn, importsOf } from './imports-of.ts';

/** Circles that are still there. Only take entries out; when the list is empty, it goes. */
const known: readonly string[][] = [
  ['cli/src/completion/complete.ts', 'cli/src/routes.ts', 'cli/src/search-routes.ts'],
  [
    'cli/src/testing/reports/html-report.ts',
    'cli/src/testing/reports/junit-report.ts',
    'cli/src/testing/reports/write-reports.ts',
  ],
  ['cli/src/tool-index/find-tools.ts', 'cli/src/tool-index/resolve-reference.ts'],
  ['cli/src/tools/explain-reference.ts', 'cli/src/tools/resolve-references.ts'],
  ['core/src/handlers/host/tasks.ts', 'core/src/handlers/host/web/abort-signal.ts'],
  [
    'core/src/load/fold-calls.ts',
    'core/src/load/fold-functions.ts',
    'core/src/load/fold-literals.ts',
    'core/src/load/fold-members.ts',
    'core/src/load/fold-pattern.ts',
  ],
  [
    'core/src/load/load-schema.ts',
    'core/src/load/lock/check-lock.ts',
    'core/src/load/lock/hold-to-lock.ts',
    'core/src/load/read-load-options.ts',
  ],
  ['server/src/auth/oauth-resource.ts', 'server/src/auth/token-check.ts'],
  ['server/src/http/session-transport.ts', 'server/src/http/sessions.ts'],
  ['validator/src/compare/compare.ts', 'validator/src/compare/summary.ts'],
  ['validator/src/compare/sections.ts', 'validator/src/compare/what-was-seen.ts'],
  [
    'validator/src/json-schema/check-array.ts',
    'validator/src/json-schema/check-object.ts',
    'validator/src/json-schema/check-value.ts',
  ],
  [
    'validator/src/oauth/discover-oauth.ts',
    'validator/src/oauth/oauth-entry.ts',
    'validator/src/oauth/oauth-findings.ts',
  ],
  [
    'validator/src/probe/sample-array.ts',
    'validator/src/probe/sample-object.ts',
    'validator/src/probe/sample-value.ts',
  ],
  ['validator/src/report/changes-in-sarif.ts', 'validator/src/report/to-sarif.ts'],
];

test('no files import one another in a circle, by value or by type', () => {
  const imports = importsOf('packages/*/src/**/*.ts');
  expect(imports.length).toBeGreaterThan(1000);
  const circles = circlesIn(imports).map((files) => files.map((file) => file.replace(/^packages\//, '')).join(' -> '));
  expect(circles.sort()).toEqual(known.map((files) => files.join(' -> ')).sort());
});

test.each([
  ['a b, b c', []],
  ['a b, b a', [['a', 'b']]],
  [
    'a b, b c, c a, c d, d e, e d',
    [
      ['d', 'e'],
      ['a', 'b', 'c'],
    ],
  ],
])('in %j the circles are found', (text, expected) => {
  const imports = text.split(', ').map((pair) => {
    const [file = '', target = ''] = pair.split(' ');
    return { file, target };
  });
  expect(circlesIn(imports)).toEqual(expected);
});
