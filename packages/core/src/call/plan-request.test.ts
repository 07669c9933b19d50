import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../schema/finding.ts';
import { createInputCheck } from '../schema/input/check-input.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { Tool } from '../schema/schema.ts';
import { planRequest, type RequestPlan } from './plan-request.ts';

interface Parameter {
  key: string;
  value?: string;
  location: string;
  z?: string;
  options?: string[];
}

/** A tool read from a schema with the given parts. */
function toolOf(
  definition: { method?: string; path: string; parameters?: Parameter[] },
  main: Record<string, unknown> = {},
  findings: Finding[] = [],
): Tool {
  const parameters = (definition.parameters ?? []).map(
    ({ key, value = '{{USER_PARAM}}', location, z = 'string()', options = [] }) => ({
      position: { key, value, location },
      z: { primitive: z, options },
    }),
  );
  const schema = parseSchema(
    {
      namespace: 'shop',
      name: 'Shop',
      description: 'A shop',
      version: '3.0.0',
      root: 'https://api.example.com/v1',
      requiredServerParams: ['KEY'],
      headers: {},
      ...main,
      tools: { tool: { method: 'GET', description: 'A tool', ...definition, parameters } },
    },
    (finding) => findings.push(finding),
  );
  const tool = schema?.tools.get('tool');
  if (tool === undefined) throw new Error('the tool was not read');
  return tool;
}

function plan(
  tool: Tool,
  params: Record<string, unknown> = {},
  secrets: Record<string, string> = { KEY: 's3cret' },
): RequestPlan {
  const checked = createInputCheck(tool.inputs)(params);
  if (!checked.ok) throw new Error(JSON.stringify(checked.findings));
  const result = planRequest(tool, checked.values, secrets);
  if (!result.ok) throw new Error(result.findings.map(({ message }) => message).join('; '));
  return result.plan;
}

describe('a path without an optional value', () => {
  test.each(['/a/{{id}}', '/a/{{id}}/b', '/{{id}}', '/a/{{id}}?x=1', '/a-{{id}}/b', '/a/:id.json', '/a?x={{id}}'])(
    '%s is sent as its finding says',
    (path) => {
      const parameters = [{ key: 'id', location: 'insert', options: ['optional()'] }];
      const findings: Finding[] = [];
      const tool = toolOf({ path, parameters }, {}, findings);
      const said = findings.find(({ code }) => code === 'VAL058')?.message ?? '';
      const [, sent = ''] = /the path is (".*") \(/.exec(said) ?? [];
      expect(`https://api.example.com/v1${JSON.parse(sent)}`).toBe(plan(tool).url);
    },
  );
});

describe('paths', () => {
  test.each([
    ['/things/{{id}}', '/v1/things/42'],
    ['/things/:id', '/v1/things/42'],
    ['/things/:id.json', '/v1/things/42.json'],
    ['/things/{{id}}/parts/:part', '/v1/things/42/parts/7'],
    ['/v1alpha1/claims:search/:id', '/v1/v1alpha1/claims:search/42'],
    ['/idType/:idType/:id', '/v1/idType/t/42'],
  ])('%s is filled in', (path, expected) => {
    const parameters = ['id', 'part', 'idType'].map((key) => ({ key, location: 'insert', options: ['optional()'] }));
    const { url } = plan(toolOf({ path, parameters }), { id: '42', part: '7', idType: 't' });
    expect(new URL(url).pathname).toBe(expected);
  });

  test('a slash in a value is kept, characters that could end the path are encoded', () => {
    const tool = toolOf({ path: '/works/{{doi}}', parameters: [{ key: 'doi', location: 'insert' }] });
    expect(plan(tool, { doi: '10.1038/nature12373' }).url).toBe('https://api.example.com/v1/works/10.1038/nature12373');
    expect(plan(tool, { doi: 'a?b#c%d e|f' }).url).toBe('https://api.example.com/v1/works/a%3Fb%23c%25d%20e%7Cf');
    expect(plan(tool, { doi: "issn:2041-1723,DEU+FRA;x=1@h!$'()*" }).url).toBe(
      "https://api.example.com/v1/works/issn:2041-1723,DEU+FRA;x=1@h!$'()*",
    );
  });

  test.each([
    '..',
    '.',
    '../x',
    'x/..',
    'x/../y',
    '',
    '/x',
    'x/',
    'x//y',
    '%2e%2e',
    '%252E%252e/x',
    '.%2e',
    'a%2f..%2fb',
    '\\',
    'x%5cy',
    '%2F',
  ])('the value %j is refused', (id) => {
    const tool = toolOf({ path: '/things/{{id}}/parts', parameters: [{ key: 'id', location: 'insert' }] });
    expect(() => plan(tool, { id })).toThrow(/id: a value for the path may not have/);
  });

  test('values that only together make a dot segment are refused', () => {
    const tool = toolOf({
      path: '/x/{{a}}{{b}}/y',
      parameters: ['a', 'b'].map((key) => ({ key, location: 'insert' })),
    });
    expect(() => plan(tool, { a: '.', b: '.' })).toThrow(/may not have the segment "\.\."/);
    expect(plan(tool, { a: '.', b: 'x' }).url).toBe('https://api.example.com/v1/x/.x/y');
  });

  test('a missing optional value removes its segment', () => {
    const parameters = [{ key: 'id', location: 'insert', options: ['optional()'] }];
    expect(plan(toolOf({ path: '/things/{{id}}/parts', parameters })).url).toBe(
      'https://api.example.com/v1/things/parts',
    );
    expect(plan(toolOf({ path: '/things/:id', parameters })).url).toBe('https://api.example.com/v1/things');
    expect(plan(toolOf({ path: '/things/:id?full=1', parameters })).url).toBe(
      'https://api.example.com/v1/things?full=1',
    );
  });

  test('a value in the query of the path is encoded as a query value', () => {
    const tool = toolOf({ path: '/find?q={{q}}&n=1', parameters: [{ key: 'q', location: 'insert' }] });
    expect(plan(tool, { q: 'a&n=2/../x' }).url).toBe('https://api.example.com/v1/find?q=a%26n%3D2%2F..%2Fx&n=1');
  });

  test('an insert parameter without a placeholder is not sent', () => {
    const tool = toolOf({ path: '/find', parameters: [{ key: 'chain', location: 'insert' }] });
    expect(plan(tool, { chain: 'x' }).url).toBe('https://api.example.com/v1/find');
  });
});

describe('queries', () => {
  test('values are appended in the order of the parameters, after what the path has', () => {
    const parameters = [
      { key: 'b', location: 'query' },
      { key: 'filter[a]', location: 'query', z: 'number()' },
      { key: 'fixed', value: 'json', location: 'query' },
      { key: 'key', value: '{{SERVER_PARAM:KEY}}', location: 'query' },
      { key: 'none', location: 'query', options: ['optional()'] },
    ];
    const { url } = plan(toolOf({ path: '/find?x=1', parameters }), { b: 'ä b&c', 'filter[a]': 5 });
    expect(url).toBe('https://api.example.com/v1/find?x=1&b=%C3%A4+b%26c&filter%5Ba%5D=5&fixed=json&key=s3cret');
  });

  test('lists are joined by commas, nested values are JSON', () => {
    const tool = toolOf({ path: '/find', parameters: [{ key: 'ids', location: 'query', z: 'array()' }] });
    expect(new URL(plan(tool, { ids: ['a', 2] }).url).searchParams.get('ids')).toBe('a,2');
    expect(new URL(plan(tool, { ids: [[1, 2], { a: 3 }] }).url).searchParams.get('ids')).toBe('[[1,2],{"a":3}]');
  });

  test('a value may combine literal text and inputs', () => {
    const tool = toolOf({
      path: '/find',
      parameters: [{ key: 'q', value: 'intitle:{{USER_PARAM}}*', location: 'query' }],
    });
    expect(new URL(plan(tool, { q: 'war' }).url).searchParams.get('q')).toBe('intitle:war*');
  });
});

describe('placeholders under other names', () => {
  test('an undeclared name is a value from the caller, by the key or by its own name', () => {
    const tool = toolOf({ path: '/find', parameters: [{ key: 'placeId', value: '{{PLACE_ID}}', location: 'query' }] });
    for (const name of ['placeId', 'PLACE_ID', 'place_id']) {
      expect(plan(tool, { [name]: 'x' }).url).toBe('https://api.example.com/v1/find?placeId=x');
    }
  });

  test('several names in one value are an input each', () => {
    const value = 'SELECT TOP {{LIMIT}} * FROM stars WHERE x < {{MAX}}';
    const tool = toolOf({ path: '/tap', parameters: [{ key: 'query', value, location: 'query' }] });
    expect(tool.inputs.map(({ name }) => name)).toEqual(['LIMIT', 'MAX']);
    expect(new URL(plan(tool, { limit: '5', MAX: '9' }).url).searchParams.get('query')).toBe(
      'SELECT TOP 5 * FROM stars WHERE x < 9',
    );
  });

  test('a template parameter fills the values that name it and is not sent itself', () => {
    const parameters = [
      { key: 'filter', value: 'date>{{FROM}}', location: 'query' },
      { key: 'FROM', location: 'template' },
    ];
    const tool = toolOf({ path: '/x', parameters });
    expect(tool.inputs.map(({ name }) => name)).toEqual(['FROM']);
    expect(plan(tool, { FROM: '2020' }).url).toBe('https://api.example.com/v1/x?filter=date%3E2020');
  });

  test('a declared name is a secret, and callers do not see it', () => {
    const tool = toolOf({ path: '/x?k={{KEY}}', parameters: [{ key: 'apikey', value: '{{KEY}}', location: 'query' }] });
    expect(tool.inputs).toEqual([]);
    expect(tool.secrets).toEqual(['KEY']);
    expect(plan(tool, {}, { KEY: 'a b&c' }).url).toBe('https://api.example.com/v1/x?k=a%20b%26c&apikey=a+b%26c');
  });

  test('text of the caller that looks like a placeholder stays text', () => {
    const parameters = [
      { key: 'q', location: 'query' },
      { key: 'key', value: '{{SERVER_PARAM:KEY}}', location: 'query' },
    ];
    const { searchParams } = new URL(
      plan(toolOf({ path: '/x', parameters }), { q: '{{KEY}} {{SERVER_PARAM:KEY}} :q $&' }).url,
    );
    expect(searchParams.get('q')).toBe('{{KEY}} {{SERVER_PARAM:KEY}} :q $&');
  });
});

describe('bodies and headers', () => {
  test('values in a body keep their types, and literals have the type of their z block', () => {
    const parameters = [
      { key: 'n', location: 'body', z: 'number()' },
      { key: 'list', location: 'body', z: 'array()' },
      { key: 'five', value: '5', location: 'body', z: 'number()' },
      { key: 'text', value: '5', location: 'body' },
      { key: 'none', location: 'body', options: ['optional()'] },
    ];
    const { body, headers } = plan(toolOf({ method: 'POST', path: '/x', parameters }), { n: '7', list: [[1, 2]] });
    expect(body).toEqual({ n: 7, list: [[1, 2]], five: 5, text: '5' });
    expect(headers).toEqual({ 'Content-Type': 'application/json' });
  });

  test('a header may contain several placeholders, and sets the content type', () => {
    const main = {
      headers: { Authorization: 'OAuth key="{{KEY}}", again="{{SERVER_PARAM:KEY}}"', 'content-type': 'text/plain' },
    };
    const { headers } = plan(toolOf({ method: 'POST', path: '/x' }, main));
    expect(headers).toEqual({ Authorization: 'OAuth key="s3cret", again="s3cret"', 'content-type': 'text/plain' });
  });

  test('a key named __proto__ is a key', () => {
    const { body } = plan(
      toolOf({ method: 'POST', path: '/x', parameters: [{ key: '__proto__', location: 'body' }] }),
      JSON.parse('{"__proto__":"x"}'),
    );
    expect(Object.entries(body as object)).toEqual([['__proto__', 'x']]);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  });
});

describe('any arguments of a caller', () => {
  const tool = toolOf({
    path: '/a/{{first}}/b/{{second}}.json',
    parameters: [
      { key: 'first', location: 'insert' },
      { key: 'second', location: 'insert' },
      { key: 'q', location: 'query' },
      { key: 'fixed', value: 'yes', location: 'query' },
    ],
  });
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom(
        '.',
        '/',
        '\\',
        '%',
        '2',
        'e',
        'f',
        '5',
        'c',
        '?',
        '#',
        '@',
        ':',
        ' ',
        '\n',
        'x',
        '{{KEY}}',
        '&',
        '=',
      ),
    }),
  );

  test('host, literal parts and other parameters are unchanged', () => {
    fc.assert(
      fc.property(text, text, text, (first, second, q) => {
        const result = planRequest(tool, { first, second, q }, { KEY: 's3cret' });
        if (!result.ok) return;
        const url = new URL(result.plan.url);
        expect(url.origin).toBe('https://api.example.com');
        expect(url.username + url.password + url.hash).toBe('');
        expect([...url.searchParams]).toEqual([
          ['q', q.toWellFormed()],
          ['fixed', 'yes'],
        ]);
        // Node resolves dot segments when it parses: the path must arrive as planned.
        expect(url.pathname).toBe(`/v1/a/${encoded(first)}/b/${encoded(second)}.json`);
        expect(result.plan.url).not.toContain('s3cret');
      }),
      { numRuns: 2000 },
    );
  });

  const encoded = (value: string) =>
    value
      .toWellFormed()
      .split('/')
      .map((segment) =>
        encodeURIComponent(segment).replace(/%(3A|2B|2C|40|3B|3D|24)/g, (code) => decodeURIComponent(code)),
      )
      .join('/');
});
