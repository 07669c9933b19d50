// The API of the soak: it answers after as many milliseconds as `limit` says, and counts callers that did not wait for it.
//
// Argument: the port to listen on.
import { createServer } from 'node:http';
import { stationsAnswer } from '../schemas/stations.ts';

let answered = 0;
let left = 0;

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const timer = setTimeout(
    () => {
      answered += 1;
      response.setHeader('content-type', 'application/json').end(stationsAnswer);
    },
    Number(searchParams.get('limit')),
  );
  response.once('close', () => {
    if (!response.writableFinished) left += 1;
    clearTimeout(timer);
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('ready'));
process.on('message', () => process.send?.({ answered, left }));
process.once('disconnect', () => process.exit());
