import { describe, expect, test } from 'vitest';
import { answerShaper, type ToolOutcome, toolResult } from './tool-result.ts';

function outcome(data: unknown, more: Partial<ToolOutcome> = {}): ToolOutcome {
  return { status: true, findings: [], data, dataAsString: JSON.stringify(data), ...more };
}

const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: `row ${id}` }));
const shape = answerShaper({
  type: 'object',
  properties: { rows: { type: 'array', items: { type: 'object' } }, total: { type: 'number' } },
});

describe('an answer that is too long', () => {
  test('reports what is missing, to models and to programs', () => {
    const { content, _meta, isError } = toolResult(outcome({ rows, total: 200 }), undefined, { maxLength: 1000 });
    expect(isError).toBeUndefined();
    const [answer, note] = content as { text: string }[];
    expect(answer?.text.length).toBeLessThanOrEqual(1000);
    const { rows: kept, total } = JSON.parse(answer?.text ?? '');
    expect(total).toBe(200);
    expect(kept).toEqual(rows.slice(0, kept.length));
    const omitted = 200 - kept.length;
    expect(note?.text).toContain(`$.rows has the first ${kept.length} of 200 items, ${omitted} were left out`);
    expect(_meta).toEqual({
      'schemakit/cuts': [{ path: '$.rows', kind: 'items', returned: kept.length, total: 200, omitted }],
      'schemakit/cutCount': 1,
    });
  });

  test('is shortened in its structured form as well', () => {
    const { content, structuredContent } = toolResult(outcome({ rows, total: 200 }), shape, { maxLength: 1000 });
    expect(structuredContent).toEqual(JSON.parse((content[0] as { text: string }).text));
  });

  test('is stored completely if it can be stored', () => {
    const kept: unknown[] = [];
    const keep = (answer: unknown) => `kept:${kept.push(answer)}`;
    const { content } = toolResult(outcome({ rows }), undefined, { maxLength: 500, keep });
    expect(kept).toEqual([{ mimeType: 'application/json', text: JSON.stringify({ rows }) }]);
    expect(content.at(-2)).toMatchObject({ text: expect.stringContaining('All of it is the resource kept:1') });
    expect(content.at(-1)).toMatchObject({ type: 'resource_link', uri: 'kept:1', mimeType: 'application/json' });
  });

  test.each([
    ['text/csv', 'text/csv'],
    ['application/xml', 'application/xml'],
    ['application/json', 'text/plain'],
    [undefined, 'text/plain'],
  ])('is kept, where it is a text of %s, as %s', (given, mimeType) => {
    const kept: unknown[] = [];
    const keep = (answer: unknown) => `kept:${kept.push(answer)}`;
    const text = 'a,b\n'.repeat(100);
    const answer = outcome(text, given === undefined ? {} : { mimeType: given });
    const { content } = toolResult(answer, undefined, { maxLength: 100, keep });
    expect(kept).toEqual([{ mimeType, text }]);
    expect(content.at(-1)).toMatchObject({ type: 'resource_link', mimeType });
  });

  test.each([1, 2, 3])('says how many bytes it has if it is not text (%i)', (size) => {
    const data = Buffer.alloc(size).toString('base64');
    const { content } = toolResult(outcome(data, { binary: 'application/pdf' }), undefined, {
      maxLength: 1,
      keep: () => 'kept:1',
    });
    expect(content).toMatchObject([
      { text: `The answer is the resource kept:1: ${size} bytes of application/pdf.` },
      {},
    ]);
  });

  test('ends with a complete line if it is text', () => {
    const text = Array.from({ length: 50 }, (_, index) => `line ${index}\n`).join('');
    const { content } = toolResult(outcome(text), undefined, { maxLength: 100 });
    const [answer, note] = content as { text: string }[];
    expect(text.startsWith(answer?.text ?? '-')).toBe(true);
    expect(answer?.text.endsWith('\n')).toBe(true);
    expect(note?.text).toMatch(/the first 13 of 50 lines, 37 were left out/);
  });

  test('reports a single omitted item', () => {
    const { content } = toolResult(outcome(['a'.repeat(50), 'b'.repeat(50)]), undefined, { maxLength: 100 });
    expect((content[1] as { text: string }).text).toContain('$ has the first 1 of 2 items, 1 was left out');
  });

  test('leaves out a text without lines', () => {
    const { content } = toolResult(outcome('x'.repeat(500)), undefined, { maxLength: 100 });
    expect(content).toMatchObject([{ text: '' }, { text: expect.stringContaining('the first 0 of 1 lines') }]);
  });
});

describe('structured content', () => {
  test('is sent in addition to the text', () => {
    const { content, structuredContent } = toolResult(outcome({ total: 3 }), shape);
    expect(content).toEqual([{ type: 'text', text: '{"total":3}' }]);
    expect(structuredContent).toEqual({ total: 3 });
  });

  test('can be sent alone, so that nothing is sent twice', () => {
    const { content, structuredContent } = toolResult(outcome({ total: 3 }), shape, { structured: 'only' });
    expect(content).toEqual([{ type: 'text', text: 'The answer is in structuredContent.' }]);
    expect(structuredContent).toEqual({ total: 3 });
    expect(toolResult(outcome({ total: 3 }), undefined, { structured: 'only' }).content).toEqual([
      { type: 'text', text: '{"total":3}' },
    ]);
  });
});

describe('an answer that does not match its schema', () => {
  test.each([
    ['a list that was selected', [1, 2, 3]],
    ['a number that was selected', 3],
    ['a value of another type', { total: 'three' }],
    ['a part of it', { total: 3, rows: 'none' }],
  ])('is text where structured content would lose it: %s', (_, data) => {
    const { content } = toolResult(outcome(data), shape, { structured: 'only' });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(data) }]);
  });

  test('is text that says what was left out', () => {
    const { content } = toolResult(outcome(rows), shape, { structured: 'only', maxLength: 1000 });
    const [answer, note] = content as { text: string }[];
    expect(JSON.parse(answer?.text ?? '')).toEqual(rows.slice(0, JSON.parse(answer?.text ?? '').length));
    expect(note?.text).toContain('This answer is incomplete');
  });
});

describe('a body that is not text', () => {
  const data = Buffer.from('bytes').toString('base64');

  test.each([
    ['image/png', { type: 'image', data, mimeType: 'image/png' }],
    ['audio/ogg', { type: 'audio', data, mimeType: 'audio/ogg' }],
    ['application/pdf', { type: 'resource', resource: { mimeType: 'application/pdf', blob: data } }],
    ['image/tiff', { type: 'resource', resource: { mimeType: 'image/tiff', blob: data } }],
  ])('of type %s is content of its own', (binary, content) => {
    expect(toolResult(outcome(data, { binary }), undefined).content).toMatchObject([content]);
  });

  test('is linked or refused if it is too long', () => {
    const long = { binary: 'image/png' };
    expect(toolResult(outcome(data, long), undefined, { maxLength: 4, keep: () => 'kept:1' }).content).toMatchObject([
      { type: 'text' },
      { type: 'resource_link', uri: 'kept:1', mimeType: 'image/png' },
    ]);
    expect(toolResult(outcome(data, long), undefined, { maxLength: 4 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('the maximum is 3. Ask for a smaller one') }],
    });
  });
});
