import { type RuleCase, toolWith } from './rule-case.ts';

const tool = 'main.tools.getThing';
const place = `${tool}.output`;
const deep = { type: 'array', items: { type: 'array', items: { type: 'array', items: { type: 'string' } } } };

function withOutput(output: unknown): RuleCase['breaks'] {
  return toolWith({ output });
}

function withSchema(schema: unknown, mimeType = 'application/json'): RuleCase['breaks'] {
  return withOutput({ mimeType, schema });
}

export const outputCases: readonly RuleCase[] = [
  {
    code: 'VAL036',
    severity: 'warning',
    path: place,
    message: `no output is declared (${tool})`,
    breaks: withOutput(undefined),
  },
  {
    code: 'VAL060',
    severity: 'warning',
    path: `${place}.mimeType`,
    message: `output.mimeType is not a media type (${tool})`,
    breaks: withSchema({ type: 'object' }, 'json'),
    keeps: withSchema({ type: 'object' }, 'application/ld+json; charset=utf-8'),
  },
  {
    code: 'VAL061',
    severity: 'warning',
    path: place,
    message: `output must be { mimeType, schema } (${tool})`,
    breaks: withOutput('application/json'),
  },
  {
    code: 'VAL061',
    severity: 'warning',
    path: `${place}.schema`,
    message: `output.schema must be an object (${tool})`,
    breaks: withSchema('object'),
  },
  {
    code: 'VAL061',
    severity: 'warning',
    path: `${place}.schema.properties.price.type`,
    message: `"float" is not a type of output.schema (${place}.schema.properties.price.type)`,
    breaks: withSchema({ type: 'object', properties: { price: { type: 'float' } } }),
    keeps: withSchema({ type: 'object', properties: { price: { type: ['number', 'null'], nullable: true } } }),
  },
  {
    code: 'VAL061',
    severity: 'warning',
    path: `${place}.schema.properties["unit price"]`,
    message: `a node of the schema must be an object such as { type: "string" } (${place}.schema.properties["unit price"])`,
    breaks: withSchema({ type: 'object', properties: { 'unit price': 'number' } }),
    keeps: withSchema({ type: 'object', properties: { 'unit price': { type: 'number' } } }),
  },
  {
    code: 'VAL062',
    severity: 'warning',
    path: `${place}.schema.type`,
    message: `answers with media type "image/png" are text, but output.schema has type "object" (${place}.schema)`,
    breaks: withSchema({ type: 'object' }, 'image/png'),
    keeps: withSchema({ type: 'string', format: 'base64' }, 'image/png'),
  },
  {
    code: 'VAL063',
    severity: 'warning',
    path: `${place}.schema`,
    message: `output.schema is 5 levels deep (${place}.schema)`,
    breaks: withSchema({ type: 'object', properties: { rows: deep } }),
    keeps: withSchema(deep),
  },
  {
    code: 'VAL064',
    severity: 'warning',
    path: `${place}.schema.items.properties`,
    message: `"string" has properties (${place}.schema.items.properties)`,
    breaks: withSchema({ type: 'array', items: { type: 'string', properties: {} } }),
    keeps: withSchema({ type: 'array', items: { type: 'object', properties: {} } }),
  },
  {
    code: 'VAL065',
    severity: 'warning',
    path: `${place}.schema.items`,
    message: `"object" has items (${place}.schema.items)`,
    breaks: withSchema({ type: 'object', items: { type: 'string' } }),
    keeps: withSchema({ items: { type: 'string' } }),
  },
];
