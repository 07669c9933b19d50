import { expect, test } from 'vitest';
import { startParsingApi } from '../call/fixtures/parsing-api.ts';
import { mainWith, toolWith } from '../schema/rules/fixtures/rule-case.ts';
import { exposeSchemas } from './expose-schemas.ts';
import type { ToolResult } from './tool-result.ts';

async function called(root: string, tool: Record<string, unknown>): Promise<ToolResult> {
  const [exposed] = exposeSchemas([mainWith({ ...toolWith({ output: undefined, ...tool }), root })]);
  if (exposed === undefined) throw new Error('the tool is not exposed');
  return exposed.call({});
}

test.each([
  ['image/png', 'image/png', 'image'],
  ['image/*', 'audio/ogg', 'audio'],
  ['application/x-tar', 'application/x-tar', 'resource'],
])('an answer to accept %s that is %s is content of the type %s', async (accept, type, kind) => {
  const { origin } = await startParsingApi(() => ({
    body: Buffer.from([0xff, 0, 1]),
    headers: { 'content-type': type },
  }));
  const { content } = await called(origin, { accept });
  expect(content).toMatchObject([{ type: kind }]);
  expect(JSON.stringify(content)).toContain('/wAB');
});

test('pages that were left are told to models and programs', async () => {
  const { origin } = await startParsingApi(() => ({ body: { rows: [1], next: 'same' } }));
  const pagination = { style: 'cursor', parameter: 'c', next: 'next', items: 'rows', maxPages: 1 };
  const { content, _meta } = await called(origin, { pagination });
  expect(content[1]).toMatchObject({
    text: 'This answer is incomplete. The answer has 1 page with 1 item, and there may be more: a call reads at most 1 page. Narrow the call, for example with a filter.',
  });
  expect(_meta).toMatchObject({ 'schemakit/pages': { pages: 1, items: 1 } });
});
