import { expect, test } from 'vitest';
import { circlesIn, importsOf } from './imports-of.ts';

/** Circles that are still there. Only take entries out; when the list is empty, it goes. */
const known: readonly string[][] = [
  [
    'cli/src/commands/call/call-file.ts',
    'cli/src/commands/call/call-group.ts',
    'cli/src/commands/call/call-result.ts',
    'cli/src/commands/call/call-tool.ts',
    'cli/src/commands/call/call.ts',
    'cli/src/commands/call/list-tools.ts',
  ],
  ['cli/src/completion/complete.ts', 'cli/src/routes.ts', 'cli/src/search-routes.ts'],
  ['cli/src/index/resolve-reference.ts', 'cli/src/index/search-tools.ts', 'cli/src/index/tool-index.ts'],
  [
    'cli/src/serving/groups-source.ts',
    'cli/src/serving/open-serving.ts',
    'cli/src/serving/server-log.ts',
    'cli/src/serving/serving-source.ts',
    'cli/src/serving/start-serving.ts',
  ],
  [
    'cli/src/testing/reports/html-report.ts',
    'cli/src/testing/reports/junit-report.ts',
    'cli/src/testing/reports/write-reports.ts',
  ],
  ['core/src/json-schema/check-collections.ts', 'core/src/json-schema/check-json-schema.ts'],
  ['core/src/load/lists/list-data.ts', 'core/src/load/lists/list-entries.ts'],
  ['core/src/load/load-schema.ts', 'core/src/load/lock/check-lock.ts', 'core/src/load/read-load-options.ts'],
  ['server/src/auth/oauth-resource.ts', 'server/src/auth/token-check.ts'],
  ['server/src/observe/tracing.ts', 'server/src/upstream/upstream-settings.ts'],
  ['server/src/options/check-options.ts', 'server/src/options/option-rules.ts'],
  ['validator/src/compare/compare.ts', 'validator/src/compare/summary.ts'],
  [
    'validator/src/list/capability-flags.ts',
    'validator/src/list/discover.ts',
    'validator/src/snapshot/entries.ts',
    'validator/src/snapshot/snapshot.ts',
  ],
  [
    'validator/src/oauth/discover-oauth.ts',
    'validator/src/oauth/metadata.ts',
    'validator/src/oauth/oauth-entry.ts',
    'validator/src/oauth/oauth-findings.ts',
  ],
  [
    'validator/src/payment/check-address.ts',
    'validator/src/payment/check-option.ts',
    'validator/src/payment/check-payment.ts',
    'validator/src/snapshot/x402-entry.ts',
  ],
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
