import { expect, test } from 'vitest';
import { resolveRecord } from '../load/resolve-record.ts';
import { mainWith } from '../mcp/fixtures/harbours.ts';
import { unknownRoute } from './resource-routes.ts';

const tool = { method: 'GET', path: '/', description: 'Ping.', parameters: [] };

test.each<[unknown, string[], string]>([
  ['pong', ['ping', 'find'], 'Did you mean ping?'],
  ['somethingElse', ['ping', 'find'], 'The tools are: ping, find.'],
  [undefined, ['ping'], 'The tools are: ping.'],
])('for %s among %j the hint is: %s', (routeName, names, hint) => {
  const tools = Object.fromEntries(names.map((name) => [name, tool]));
  const { record } = resolveRecord(mainWith({}, { root: 'https://example.com', tools }));
  expect(record && unknownRoute(routeName, [record], 'schema "coast"')).toEqual({
    code: 'TOOL_UNKNOWN',
    severity: 'error',
    path: 'routeName',
    message: `Route "${routeName}" not found in schema "coast"`,
    hint,
  });
});

test('the hint says if there is nothing to call', () => {
  expect(unknownRoute('ping', [], 'schema').hint).toBe('There are no tools, queries or documents.');
});
