// Calls a tool with an identity handler, or only reads and writes the text of an answer of 100 KB. Arguments: the schema, and the number of hosts, `trusted` for handlers that are loaded into this process, `direct` for functions that it passes, or `bare` for these and the way to a process and back that only reads and writes the text.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { SchemaKit } from '@schemakit/core';
import { forkWorker } from '../processes/fork-worker.ts';
import { answerCallQuestions, type Call } from '../processes/measure-calls.ts';
import { answerOf } from '../schemas/identity.ts';

const [filePath = '', hosts = ''] = process.argv.slice(2);
// It is read when the first handler is called.
if (Number(hosts) > 0) process.env.SCHEMAKIT_HANDLER_HOSTS = hosts;
const schema = await SchemaKit.loadSchema({ filePath, ...(await isolationOf(hosts)) });
const own = hosts === 'direct' || hosts === 'bare' ? await importHandlers(filePath) : {};
const bare = hosts === 'bare' ? await startBare() : undefined;

const text = JSON.stringify(answerOf(100));
const readAndWrite: Call = async () => JSON.stringify(JSON.parse(text));

answerCallQuestions({ readAndWrite, '1 KB': callWith(1), '100 KB': callWith(100), '1 MB': callWith(1000) });

function callWith(kilobytes: number): Call {
  const there = JSON.stringify(answerOf(kilobytes));
  return async () => {
    const call = { schema, ...own, routeName: 'getItems', userParams: { kilobytes } };
    const { status, messages, data } = await SchemaKit.fetch(call);
    if (!status) throw new Error(messages.join('\n'));
    await bare?.pass(there);
    return data;
  };
}

async function isolationOf(place: string): Promise<object> {
  if (place !== 'trusted') return {};
  const hash = createHash('sha256').update(await readFile(filePath));
  return { isolation: 'trusted', pin: `sha256:${hash.digest('hex')}` };
}

async function startBare(): Promise<{ pass: (text: string) => Promise<unknown> }> {
  const process = forkWorker(new URL('./read-and-write.ts', import.meta.url), [], { serialization: 'advanced' });
  await process.hello();
  return { pass: (text) => process.ask({ text }) };
}

async function importHandlers(file: string) {
  const { handlers: handlersFn } = await import(pathToFileURL(file).href);
  const { handlerMap } = SchemaKit.createHandlers({ handlersFn, routeNames: ['getItems'] });
  return { handlerMap };
}
