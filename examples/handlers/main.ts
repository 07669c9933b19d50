// Calls tools whose answers go through handlers. The handlers run in a process of their own.
import { join } from 'node:path';
import { SchemaKit } from '@schemakit/core';
import { startHarbourApi } from './api.ts';

const api = await startHarbourApi();
const schema = await SchemaKit.loadSchema({ filePath: join(import.meta.dirname, 'berths.mjs') });
if (!schema.status || schema.main === null) throw new Error(schema.messages.join('\n'));

// The file names port 4851; this program's API took any free one.
schema.main.root = api.url;

const berths = await SchemaKit.fetch({ schema, routeName: 'listBerths', userParams: { harbour: 'dover' } });
console.log(berths.data);

const ships = await SchemaKit.fetch({ schema, routeName: 'listShips' });
console.log(ships.data);

// Sark is in the list, but the filter took it out of the choices.
const refused = await SchemaKit.fetch({ schema, routeName: 'listBerths', userParams: { harbour: 'sark' } });
console.log(refused.messages);

api.close();
