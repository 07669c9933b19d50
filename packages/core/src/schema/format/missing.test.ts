import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import { parseSchema } from '../parse-schema.ts';
import { mainWith, parameterWith, testsWith, toolWith } from '../rules/fixtures/rule-case.ts';

const file = JSON.parse(readFileSync(new URL('./main.schema.json', import.meta.url), 'utf8'));
const definitions: Readonly<Record<string, { properties: Readonly<Record<string, { description: string }>> }>> =
  file.$defs;

type Fields = Readonly<Record<string, unknown>>;

const auth = { type: 'bearer', token: '{{TOKEN}}' };
const signature = {
  ...{ type: 'hmac', algorithm: 'sha256', secret: '{{TOKEN}}', secretEncoding: 'utf8', message: '{{body}}' },
  ...{ encoding: 'hex', in: 'header', name: 'X-Signature', prefix: 'v1=', headers: {}, query: {} },
};

function withAuth(parts: Fields): Fields {
  return mainWith({ requiredServerParams: ['TOKEN'], ...parts });
}

/** An object of the format with all of its fields without an alternative spelling, and the `main` that contains it. */
const holders: Readonly<Record<string, { fields: Fields; main: (fields: Fields) => Fields }>> = {
  SchemaMain: {
    fields: { ...mainWith(), docs: [], tags: [], sharedLists: [], meta: {}, auth, signature },
    main: (fields) => fields,
  },
  Tool: { fields: toolFields(), main: (fields) => mainWith({ tools: { getThing: fields } }) },
  ToolTest: {
    fields: { _description: 'first', _expect: { status: 200 } },
    main: (fields) => withTool({ tests: [fields, ...testsWith({}).slice(1)] }),
  },
  Expectation: {
    fields: { status: 404, error: true, select: 'name', equals: 'a', matches: 'a', schema: {} },
    main: (_expect) => withTool({ tests: [{ _description: 'first', _expect }, ...testsWith({}).slice(1)] }),
  },
  Preload: {
    fields: { enabled: true, ttl: 60, description: 'Changes once a day' },
    main: (preload) => withTool({ preload }),
  },
  BearerAuth: { fields: auth, main: (fields) => withAuth({ auth: fields }) },
  BasicAuth: {
    fields: { type: 'basic', username: 'shop', password: '{{TOKEN}}' },
    main: (fields) => withAuth({ auth: fields }),
  },
  ApiKeyAuth: {
    fields: { type: 'apiKey', in: 'header', name: 'X-Key', value: '{{TOKEN}}' },
    main: (fields) => withAuth({ auth: fields }),
  },
  OAuth2Auth: {
    fields: {
      ...{ type: 'oauth2', flow: 'clientCredentials', tokenUrl: 'https://auth.example.com/token', clientId: 'shop' },
      ...{ clientSecret: '{{TOKEN}}', scopes: [], audience: 'shop', authMethod: 'basic' },
    },
    main: (fields) => withAuth({ auth: fields }),
  },
  Signature: { fields: signature, main: (fields) => withAuth({ signature: fields }) },
  Idempotency: {
    fields: { header: 'Idempotency-Key' },
    main: (idempotency) => withTool({ idempotency }),
  },
  Annotations: {
    fields: {
      title: 'One thing',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    main: (annotations) => withTool({ annotations }),
  },
  Pagination: {
    fields: {
      style: 'link',
      items: 'items',
      next: 'next',
      maxPages: 5,
    },
    main: (pagination) => withTool({ pagination }),
  },
  Parameter: {
    fields: { ...parameterWith(), description: 'Which one' },
    main: (fields) => withTool({ parameters: [fields] }),
  },
  Position: {
    fields: { key: 'id', value: '{{USER_PARAM}}', location: 'query', style: 'form', explode: true, whole: false },
    main: (position) => withTool({ parameters: [{ ...parameterWith(), position }] }),
  },
  ZBlock: {
    fields: { primitive: 'string()', options: ['optional()'] },
    main: (z) => withTool({ parameters: [{ ...parameterWith(), z }], tests: testsWith({ id: 'a' }) }),
  },
  ShorthandParameter: {
    fields: { type: 'string', required: true, description: 'Which one', default: 'a', enum: ['a'] },
    main: (id) => withTool({ parameters: { id }, tests: testsWith({ id: 'a' }) }),
  },
  Output: {
    fields: { mimeType: 'application/json', schema: { type: 'object' }, description: 'One thing' },
    main: (output) => withTool({ output }),
  },
  OutputNode: {
    fields: { type: 'object', properties: {}, description: 'One thing', nullable: true },
    main: (schema) => withTool({ output: { mimeType: 'application/json', schema } }),
  },
  SharedListReference: {
    fields: { ref: 'colours', version: '1.0.0', filter: { key: 'name', exists: true } },
    main: (fields) => mainWith({ sharedLists: [fields] }),
  },
};

// The rules of list files are tested in load.
const elsewhere = ['SharedListMeta', 'SharedListField'];
const twins: Readonly<Record<string, readonly string[]>> = {
  SchemaMain: ['routes', 'resources', 'skills', 'prompts'],
  Tool: ['async'],
  OutputNode: ['items'],
  // Not with the style `link`, which alone needs nothing else.
  Pagination: ['parameter', 'start', 'sizeParameter'],
};

function toolFields(): Fields {
  const { getThing } = toolWith({
    preload: { enabled: true, ttl: 60 },
    meta: {},
    annotations: {},
    idempotency: { header: 'X-Key' },
    auth: false,
    headers: {},
    encoding: 'json',
    accept: 'application/json',
    pagination: { style: 'link', items: '' },
  }).tools;
  return getThing as Fields;
}

function withTool(parts: Fields): Fields {
  return mainWith(toolWith(parts));
}

function codesIn(main: Fields): Finding[] {
  const findings: Finding[] = [];
  parseSchema(main, (finding) => findings.push(finding));
  return findings;
}

function worst(findings: readonly Finding[]): string {
  return ['error', 'warning', 'info'].find((one) => findings.some(({ severity }) => severity === one)) ?? 'nothing';
}

test('every table of the page is about one of these', () => {
  const page = readFileSync(new URL('../../../../../docs/format.md', import.meta.url), 'utf8');
  const tables = [...page.matchAll(/<!-- table: (\w+) -->\n\n\| Field [^\n]*When it is missing/g)].map(
    ([, name]) => name,
  );
  const known = [...Object.keys(holders), ...elsewhere];
  expect(tables.filter((name) => !known.includes(String(name)))).toEqual([]);
});

describe.each(Object.entries(holders))('%s', (name, { fields, main }) => {
  const described = definitions[name]?.properties ?? {};
  const before = codesIn(main(fields)).map(({ code }) => code);

  test.each(Object.entries(described).filter(([field]) => !twins[name]?.includes(field)))(
    '%s has the severity that its description says',
    (field, { description }) => {
      const [, missing = 'nothing'] = / When it is missing: (\w+)\.$/.exec(description) ?? [];
      expect(Object.keys(fields)).toContain(field);
      const { [field]: _, ...others } = fields;
      const news = codesIn(main(others)).filter(({ code }) => !before.includes(code));
      expect(worst(news)).toBe(missing);
    },
  );
});
