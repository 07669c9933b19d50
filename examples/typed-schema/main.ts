// Schemas with types: a file whose comments name them, and one that a program makes.
import { join } from 'node:path';
import { SchemaKit, type SchemaMain } from '@schemakit/core';
import { startRiverApi } from './api.ts';

const api = await startRiverApi();

// In a file, types stand in comments: see rivers.mjs.
const schema = await SchemaKit.loadSchema({ filePath: join(import.meta.dirname, 'rivers.mjs') });
if (!schema.status || schema.main === null) throw new Error(schema.messages.join('\n'));

// The file names port 4852; this program's API took any free one.
schema.main.root = api.url;

const level = await SchemaKit.fetch({ schema, routeName: 'getLevel', userParams: { river: 'rhine' } });
console.log(level.data);

// In TypeScript, `satisfies` checks what a program puts together.
const main = {
  namespace: 'rivers',
  name: 'Rivers',
  description: 'Which rivers there are.',
  version: '3.0.0',
  docs: ['https://rivers.example.com/docs'],
  root: api.url,
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  tools: {
    listRivers: { method: 'GET', path: '/rivers', description: 'List all rivers.', parameters: [] },
  },
} satisfies SchemaMain;

const rivers = await SchemaKit.fetch({ main, routeName: 'listRivers' });
console.log(rivers.data);

// What types cannot see, the check of the schema does.
const { messages } = SchemaKit.validateMain({ main: { ...main, headers: { 'X-Key': '{{RIVER_KEY}}' } } });
console.log(messages[0]);

api.close();
