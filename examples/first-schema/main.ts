// Loads a schema file and calls its tool from a program.
import { join } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import { startTideApi } from './api.ts';

const api = await startTideApi();
const schema = await SchemaKit.loadSchema({ filePath: join(import.meta.dirname, 'tides.mjs') });
if (!schema.status || schema.main === null) throw new Error(schema.messages.join('\n'));

// The file names port 4849; this program's API took any free one.
schema.main.root = api.url;

const tides = await SchemaKit.fetch({ schema, routeName: 'getTides', userParams: { harbour: 'dover', unit: 'ft' } });
console.log(tides.status, tides.dataAsString);

// Input that the schema does not allow is refused before anything is sent, and nothing is thrown.
const refused = await SchemaKit.fetch({ schema, routeName: 'getTides', userParams: { harbour: 'dovre' } });
console.log(refused.status, refused.messages);

api.close();
