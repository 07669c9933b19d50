// The API behind the identity handler: `/items/<kilobytes>` answers so much JSON.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOf } from '../schemas/identity.ts';

const answers = new Map<string | undefined, Buffer>();

const server = createServer(({ url }, response) => {
  const answer = answers.get(url) ?? Buffer.from(JSON.stringify(answerOf(Number(url?.split('/').at(-1)))));
  answers.set(url, answer);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.once('disconnect', () => process.exit());
