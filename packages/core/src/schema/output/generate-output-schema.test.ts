import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../finding.ts';
import { ruleReport } from '../rule-report.ts';
import { parseOutput } from '../rules/output.ts';
import { checkOutput } from './check-output.ts';
import { generateOutputSchema } from './generate-output-schema.ts';
import { parseAnswerJson } from './parse-answer-json.ts';

function schemaOf(response: unknown, mimeType?: string) {
  const { status, output } = generateOutputSchema({ response, ...(mimeType !== undefined && { mimeType }) });
  expect(status).toBe(true);
  return output?.schema;
}

describe('generateOutputSchema', () => {
  it('infers the block of an answer, from its text or its value', () => {
    const value = { harbour: 'brest', height: 6.8, count: 2, open: true, note: null };
    const schema = {
      type: 'object',
      properties: {
        harbour: { type: 'string' },
        height: { type: 'number' },
        count: { type: 'integer' },
        open: { type: 'boolean' },
        note: { type: 'string', nullable: true },
      },
    };
    const result = {
      status: true,
      messages: [],
      findings: [],
      output: { mimeType: 'application/json', schema, type: 'object', fields: schema.properties },
    };
    expect(generateOutputSchema({ response: JSON.stringify(value), mimeType: 'application/json' })).toEqual(result);
    expect(generateOutputSchema({ response: value })).toEqual(result);
  });

  it('describes an integer that is too large for a number as text', () => {
    const text = '{"id":12345678901234567890,"near":9007199254740993,"safe":9007199254740991,"amount":1e18}';
    const properties = {
      id: { type: 'string' },
      near: { type: 'string' },
      safe: { type: 'integer' },
      amount: { type: 'integer' },
    };
    expect(schemaOf(text)).toEqual({ type: 'object', properties });
    // A program that parsed the answer itself may have lost digits, so calls may return either.
    expect(schemaOf({ id: JSON.parse('12345678901234567890') })).toEqual({
      type: 'object',
      properties: { id: { description: 'Either string or integer.' } },
    });
    const amount = '1'.repeat(21);
    expect(schemaOf(`[${amount}]`)).toEqual({ type: 'array', items: { type: 'integer' } });
  });

  it.each([2 ** 53, [2 ** 60], { a: -(2 ** 55) }, [1, 2 ** 60, 1.5]])('creates a valid block for %j', (response) => {
    const findings: Finding[] = [];
    const { output } = generateOutputSchema({ response });
    parseOutput(output, { path: 'main.tools.x', report: ruleReport((finding) => findings.push(finding)) });
    expect(findings).toEqual([]);
    expect(checkOutput(response, output?.schema)).toEqual([]);
    expect(checkOutput(parseAnswerJson(JSON.stringify(response)), output?.schema)).toEqual([]);
  });

  it('merges the properties of all items of an array', () => {
    expect(schemaOf([{ a: 1 }, { b: [], a: null }, { b: ['x'], a: 2.5 }])).toEqual({
      type: 'array',
      items: {
        type: 'object',
        properties: { a: { type: 'number', nullable: true }, b: { type: 'array', items: { type: 'string' } } },
      },
    });
  });

  it.each([
    [[1, 'a'], { description: 'Either string or integer.' }],
    [
      [{ a: 1 }, 'x', null],
      { description: 'Either object or string.', nullable: true, properties: { a: { type: 'integer' } } },
    ],
    [[1, 1.5], { type: 'number' }],
    [[1, null], { type: 'integer', nullable: true }],
    [[[], [[1]]], { type: 'array', items: { type: 'array', items: { type: 'integer' } } }],
  ])('says of the items of %j what is true of all', (items, node) => {
    expect(schemaOf(items)).toEqual({ type: 'array', items: node });
  });

  it.each([
    ['{}', { type: 'object' }],
    ['[]', { type: 'array' }],
    ['null', { type: 'string', nullable: true }],
    ['"text"', { type: 'string' }],
    ['3', { type: 'integer' }],
    ['1e400', { type: 'number' }],
    ['\uFEFF{"__proto__": 1}', { type: 'object', properties: { ['__proto__']: { type: 'integer' } } }],
  ])('describes %s', (response, schema) => expect(schemaOf(response)).toEqual(schema));

  it.each([
    ['marketCap', 'number'],
    ['priceUsd', 'number'],
    ['fees', 'number'],
    ['holder_count', 'number'],
    ['isActive', 'boolean'],
    ['has_price', 'boolean'],
    ['verified', 'boolean'],
    ['account', 'string'],
    ['issue', 'string'],
    ['is', 'string'],
    ['hash', 'string'],
    ['name', 'string'],
  ])('guesses the type of %s, of which only null was seen', (key, type) => {
    expect(schemaOf({ [key]: null })).toEqual({ type: 'object', properties: { [key]: { type, nullable: true } } });
    expect(schemaOf({ [key]: [null] })).toMatchObject({ properties: { [key]: { items: { type, nullable: true } } } });
  });

  it.each([
    ['<feed/>', 'application/rss+xml', { type: 'string' }],
    ['a,b\n1,2', 'text/csv; charset=utf-8', { type: 'string' }],
    ['[1, 2', 'text/plain', { type: 'string' }],
    ['[1, 2]', 'text/plain', { type: 'array', items: { type: 'integer' } }],
    ['{"@id": "x"}', 'application/ld+json', { type: 'object', properties: { '@id': { type: 'string' } } }],
    ['iVBORw0KGgo=', 'image/png', { type: 'string', format: 'base64' }],
    [new Uint8Array(3), 'application/pdf', { type: 'string', format: 'base64' }],
    ['<svg/>', 'image/svg+xml', { type: 'string' }],
    [{ a: 1 }, 'text/plain', { type: 'object', properties: { a: { type: 'integer' } } }],
  ])('describes %j of type %s as a call answers it', (response, mimeType, schema) => {
    expect(schemaOf(response, mimeType)).toEqual(schema);
  });

  it('reports an answer that is not JSON despite its media type', () => {
    const { findings, output } = generateOutputSchema({ response: '<html>', mimeType: 'application/json' });
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([['OUT002', 'warning']]);
    expect(output?.schema).toEqual({ type: 'string' });
  });

  it('returns the fields of the items if the root is an array', () => {
    expect(generateOutputSchema({ response: '[{"a":1}]' }).output).toMatchObject({
      type: 'array',
      fields: { a: { type: 'integer' } },
    });
    expect(generateOutputSchema({ response: '[1]' }).output?.fields).toEqual({});
  });

  it.each([
    [{ mimeType: 'application/json' }, ['response is required']],
    [{ response: '{}', mimeType: 'json' }, ['mimeType is not a media type']],
    [{ response: '{}', mimeType: 7 }, ['mimeType is not a media type']],
    [undefined, ['response is required']],
  ])('refuses %j', (options, messages) => {
    const result = generateOutputSchema(options as never);
    expect(result).toMatchObject({ status: false, messages, output: null });
  });

  it('describes eight levels, or as many as requested', () => {
    const deep = JSON.parse('{"a":'.repeat(9) + 1 + '}'.repeat(9));
    const { findings, output } = generateOutputSchema({ response: deep });
    expect(JSON.stringify(output?.schema).match(/"a"/g)).toHaveLength(7);
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([['OUT003', 'info']]);
    expect(generateOutputSchema({ response: deep, maxLevels: 1 }).output?.schema).toEqual({ type: 'object' });
    expect(generateOutputSchema({ response: deep, maxLevels: 20 }).findings).toEqual([]);
  });

  const table = (rows: number) =>
    Object.fromEntries(Array.from({ length: rows }, (_, id) => [`id${id}`, { price: id, tags: [id] }]));

  it('describes the first 200 properties of a table of data', () => {
    const { findings, output } = generateOutputSchema({ response: table(201) });
    expect(Object.keys(output?.fields ?? {})).toEqual(Array.from({ length: 200 }, (_, id) => `id${id}`));
    expect(findings.map(({ code }) => code)).toEqual(['OUT003']);
    expect(generateOutputSchema({ response: table(200) }).findings).toEqual([]);
  });

  it('describes at most 2,000 nodes', () => {
    const tables = Array.from({ length: 10 }, (_, index) => [`table${index}`, table(200)]);
    const { findings, output } = generateOutputSchema({ response: Object.fromEntries(tables) });
    expect(JSON.stringify(output?.schema).match(/"type"/g)).toHaveLength(2_000);
    expect(findings.map(({ code }) => code)).toEqual(['OUT003']);
  });

  it('ends quickly for cycles and for answers of only brackets', () => {
    const circle: unknown[] = [];
    for (let index = 0; index < 100; index += 1) circle.push(circle);
    for (const response of [circle, '['.repeat(100_000) + ']'.repeat(100_000)]) {
      const { findings, output } = generateOutputSchema({ response });
      expect(findings.map(({ code }) => code)).toContain('OUT003');
      expect(JSON.stringify(output).length).toBeLessThan(1_000);
    }
  });

  it('treats a string as the text of an answer, never as its value', () => {
    expect(generateOutputSchema({ response: '0' }).output?.schema).toEqual({ type: 'integer' });
    expect(generateOutputSchema({ response: '"0"' }).output?.schema).toEqual({ type: 'string' });
  });

  it('accepts the answers that it was inferred from', () => {
    const answer = fc.jsonValue({ maxDepth: 6 });
    fc.assert(
      fc.property(fc.oneof(answer, fc.array(answer)), (response) => {
        const text = JSON.stringify(response);
        const { output } = generateOutputSchema({ response: text });
        expect(checkOutput(parseAnswerJson(text), output?.schema)).toEqual([]);
        // Values that a program has parsed are used unchanged. A string is always text.
        if (typeof response === 'string') return;
        expect(checkOutput(response, generateOutputSchema({ response }).output?.schema)).toEqual([]);
      }),
    );
  });

  it('creates the same block for the same answer, which passes the rules for outputs', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (response) => {
        const { output } = generateOutputSchema({ response, maxLevels: 4 });
        expect(JSON.stringify(generateOutputSchema({ response, maxLevels: 4 }).output)).toBe(JSON.stringify(output));
        const findings: Finding[] = [];
        parseOutput(output, { path: 'main.tools.x', report: ruleReport((finding) => findings.push(finding)) });
        expect(findings).toEqual([]);
      }),
    );
  });

  it('never throws for any argument', () => {
    const anything = fc.anything({ withNullPrototype: true, withMap: true, withBigInt: true, withSparseArray: true });
    fc.assert(
      fc.property(anything, anything, (response, mimeType) => {
        generateOutputSchema(response as never);
        generateOutputSchema({ response, mimeType: mimeType as string });
        expect(generateOutputSchema({ response }).status).toBe(response !== undefined);
      }),
    );
  });
});
