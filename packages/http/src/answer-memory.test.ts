import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { clientFor, serveHttp } from '../fixtures/loopback-server.ts';

const bytes = 100_000;
const body = Buffer.alloc(bytes, 'a');

/** Collects young objects only, as V8 does all the time. */
function collectYoung(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  for (let turn = 0; turn < 3; turn += 1) collect({ type: 'minor' });
}

it('frees the memory of answers without a full collection', async () => {
  const server = await serveHttp((_request, response) => response.end(body));
  const client = clientFor([server]);
  const heldAfter = async (requests: number): Promise<number> => {
    for (let turn = 0; turn < requests; turn += 1) {
      const answer = await client.request({ url: server.origin, method: 'GET' });
      expect(answer.text()).toHaveLength(bytes);
    }
    collectYoung();
    return process.memoryUsage().arrayBuffers;
  };
  const before = await heldAfter(50);
  expect((await heldAfter(100)) - before).toBeLessThan(20 * bytes);
});
