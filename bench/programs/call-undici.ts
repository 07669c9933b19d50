// Makes the requests of the stations schema with undici alone. Argument: the origin of the upstream.
import { type Dispatcher, request } from 'undici';
import { answerCallQuestions } from '../processes/measure-calls.ts';
import { stationsKey } from '../schemas/stations.ts';

const [root = ''] = process.argv.slice(2);
const jsonHeaders = { 'content-type': 'application/json' };

answerCallQuestions({
  get: async (turn) => parseJson(await request(searchUrl(turn))),
  post: async (turn) =>
    parseJson(
      await request(`${root}/delays`, {
        method: 'POST',
        headers: jsonHeaders,
        body: JSON.stringify({ station: 'leipzig-hbf', minutes: 1 + (turn % 600), reason: 'a tree on the line' }),
      }),
    ),
  handler: async (turn) => {
    const { stations } = (await parseJson(await request(searchUrl(turn)))) as { stations: { name: string }[] };
    return { names: stations.map(({ name }) => name) };
  },
  key: async (turn) =>
    parseJson(await request(searchUrl(turn), { headers: { authorization: `Bearer ${stationsKey}` } })),
});

function searchUrl(turn: number): string {
  return `${root}/stations?q=${encodeURIComponent(`station ${turn % 100}`)}&sort=distance&limit=${1 + (turn % 50)}`;
}

async function parseJson({ statusCode, body }: Dispatcher.ResponseData): Promise<unknown> {
  if (statusCode >= 400) throw new Error(`the upstream answered ${statusCode}`);
  return body.json();
}
