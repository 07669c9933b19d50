// Calls the tools of the stations schema with `SchemaKit.fetch`. Arguments: the schema, and the same schema with a key.
import { type LoadedSchema, SchemaKit } from '@schemakit/core';
import { answerCallQuestions } from '../processes/measure-calls.ts';
import { stationsKey } from '../schemas/stations.ts';

const [file = '', fileWithKey = ''] = process.argv.slice(2);
const schema = await load(file);
const schemaWithKey = await load(fileWithKey);
const serverParams = { STATIONS_KEY: stationsKey };

answerCallQuestions({
  get: async (turn) =>
    succeeded(await SchemaKit.fetch({ schema, routeName: 'searchStations', userParams: search(turn) })),
  post: async (turn) => succeeded(await SchemaKit.fetch({ schema, routeName: 'reportDelay', userParams: delay(turn) })),
  handler: async (turn) =>
    succeeded(await SchemaKit.fetch({ schema, routeName: 'listStationNames', userParams: search(turn) })),
  key: async (turn) => {
    const request = { schema: schemaWithKey, serverParams, routeName: 'searchStations', userParams: search(turn) };
    return succeeded(await SchemaKit.fetch(request));
  },
});

async function load(filePath: string): Promise<LoadedSchema> {
  const loaded = await SchemaKit.loadSchema({ filePath });
  if (!loaded.status) throw new Error(loaded.messages.join('\n'));
  return loaded;
}

function search(turn: number): object {
  return { q: `station ${turn % 100}`, sort: 'distance', limit: 1 + (turn % 50) };
}

function delay(turn: number): object {
  return { station: 'leipzig-hbf', minutes: 1 + (turn % 600), reason: 'a tree on the line' };
}

function succeeded({ status, messages, data }: { status: boolean; messages: string[]; data: unknown }): unknown {
  if (!status) throw new Error(messages.join('\n'));
  return data;
}
