import { expect, test } from 'vitest';
import { detectLegacy } from './adapt-legacy.ts';

test.each([
  ['main 3.x', { main: { version: '3.0.0', tools: {} } }, { isLegacy: false, format: 'v3' }],
  ['main 2.x', { main: { version: '2.1.0', routes: {} } }, { isLegacy: false, format: 'v2' }],
  [
    'main before schema',
    { main: { version: '3.0.0' }, schema: { flowMCP: '1.2.0' } },
    { isLegacy: false, format: 'v3' },
  ],
  ['schema 1.2.0', { schema: { flowMCP: '1.2.0', routes: {} } }, { isLegacy: true, format: 'v1.2.0' }],
  ['schema 1.0.0', { schema: { flowMCP: '1.0.0', routes: {} } }, { isLegacy: true, format: 'v1.0.0' }],
  ['a version with a prefix', { schema: { flowMCP: 'v1.2.1', routes: {} } }, { isLegacy: true, format: 'v1.2.1' }],
  ['tools in place of routes', { schema: { flowMCP: '1.2.0', tools: {} } }, { isLegacy: true, format: 'v1.2.0' }],
  ['a schema without a version', { schema: { routes: {} } }, { isLegacy: true, format: 'v1' }],
  ['tools and no version', { schema: { tools: {} } }, { isLegacy: true, format: 'v1' }],
  ['a main without a version', { main: {} }, { isLegacy: false, format: 'unknown' }],
  ['a main of another version', { main: { version: '30.0.0' } }, { isLegacy: false, format: 'unknown' }],
  ['a schema of something else', { schema: { type: 'object' } }, { isLegacy: false, format: 'unknown' }],
  ['a module of something else', { list: {} }, { isLegacy: false, format: 'unknown' }],
  ['nothing', undefined, { isLegacy: false, format: 'unknown' }],
  ['text', 'main', { isLegacy: false, format: 'unknown' }],
])('%s', (_, module, expected) => {
  expect(detectLegacy({ module })).toEqual(expected);
});

test('a module whose getters throw is unknown', () => {
  const module = {
    get main() {
      throw new Error('not yet');
    },
  };
  expect(detectLegacy({ module })).toEqual({ isLegacy: false, format: 'unknown' });
  expect(detectLegacy()).toEqual({ isLegacy: false, format: 'unknown' });
});
