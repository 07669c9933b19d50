import { describe, expect, test } from 'vitest';
import { mainWith, toolWith } from '../schema/rules/fixtures/rule-case.ts';
import { exposeSchemas } from './expose-schemas.ts';

/** The listing of a tool with these parts. */
function listed(parts: Readonly<Record<string, unknown>>) {
  const [tool] = exposeSchemas([mainWith(toolWith(parts))]);
  return tool?.listing;
}

const title = 'Get Thing';
const reads = { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
const writes = { title, readOnlyHint: false, idempotentHint: false, openWorldHint: true };
const overwrites = { ...writes, destructiveHint: true, idempotentHint: true };

describe('annotations', () => {
  test.each([
    ['GET', reads],
    ['HEAD', reads],
    ['PUT', overwrites],
    ['DELETE', overwrites],
    ['POST', writes],
    ['PATCH', writes],
  ])('follow from the method %s', (method, expected) => {
    expect(listed({ method })?.annotations).toStrictEqual(expected);
  });

  test.each([
    ['POST', { readOnlyHint: true }, reads],
    ['GET', { readOnlyHint: false }, writes],
    ['POST', { destructiveHint: false }, { ...writes, destructiveHint: false }],
    ['GET', { destructiveHint: true }, { ...writes, destructiveHint: true }],
    ['PUT', { readOnlyHint: true }, reads],
    ['PATCH', { destructiveHint: true, idempotentHint: true }, overwrites],
    ['GET', { openWorldHint: false }, { ...reads, openWorldHint: false }],
    ['DELETE', { readOnlyHint: true }, { ...reads, destructiveHint: true }],
  ])("of a %s are the author's: %j", (method, annotations, expected) => {
    expect(listed({ method, annotations })?.annotations).toStrictEqual(expected);
  });

  test('have a title that is that of the tool too', () => {
    const listing = listed({ annotations: { title: 'One thing' } });
    expect(listing).toMatchObject({ title: 'One thing', annotations: { ...reads, title: 'One thing' } });
  });

  test.each(['readOnlyHint', { readOnlyHint: 'true', destructiveHint: 1, title: 5 }, { readonlyHint: false }])(
    'that are not valid change nothing: %j',
    (annotations) => {
      expect(listed({ annotations })?.annotations).toStrictEqual(reads);
    },
  );
});
