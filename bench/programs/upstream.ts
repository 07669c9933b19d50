// The API that everybody calls, in a process of its own. It reads no more of HTTP than it needs to answer, because whatever it
// costs is paid by all sides alike and brings their ratio nearer to one.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { delayAnswer, stationsAnswer } from '../schemas/stations.ts';

const endOfHead = '\r\n\r\n';
const answers = { GET: httpAnswer(stationsAnswer), POST: httpAnswer(delayAnswer) };

const server = createServer((socket) => {
  socket.setNoDelay(true).on('error', () => socket.destroy());
  let rest = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    rest = answerRequests(rest + text, socket);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.once('disconnect', () => process.exit());

/** Answers each complete request in the text; gives back what is left of it. */
function answerRequests(text: string, socket: Socket): string {
  let start = 0;
  let reply = '';
  for (;;) {
    const head = text.indexOf(endOfHead, start);
    if (head < 0) break;
    const isPost = text.startsWith('POST', start);
    const length = isPost ? Number(/content-length: *(\d+)/i.exec(text.slice(start, head))?.[1] ?? 0) : 0;
    const end = head + endOfHead.length + length;
    if (end > text.length) break;
    reply += isPost ? answers.POST : answers.GET;
    start = end;
  }
  if (reply !== '') socket.write(reply, 'latin1');
  return text.slice(start);
}

function httpAnswer(json: string): string {
  const head = [
    'HTTP/1.1 200 OK',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(json)}`,
    'cache-control: no-store',
    'date: Sat, 14 Mar 2026 06:25:00 GMT',
    'server: stations',
  ];
  return `${head.join('\r\n')}${endOfHead}${Buffer.from(json).toString('latin1')}`;
}
