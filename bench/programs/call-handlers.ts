// Calls a tool with an identity handler. Arguments: the schema, and the number of hosts, or `direct` for a handler of this process.
import { pathToFileURL } from 'node:url';
import { SchemaKit } from '@schemakit/core';
import { answerCallQuestions, type Call } from '../processes/measure-calls.ts';

const [filePath = '', hosts = ''] = process.argv.slice(2);
// It is read when the first handler is called.
if (hosts !== 'direct') process.env.SCHEMAKIT_HANDLER_HOSTS = hosts;
const schema = await SchemaKit.loadSchema({ filePath });
const own = hosts === 'direct' ? await importHandlers(filePath) : {};

answerCallQuestions({ '1 KB': callWith(1), '100 KB': callWith(100), '1 MB': callWith(1000) });

function callWith(kilobytes: number): Call {
  return async () => {
    const call = { schema, ...own, routeName: 'getItems', userParams: { kilobytes } };
    const { status, messages, data } = await SchemaKit.fetch(call);
    if (!status) throw new Error(messages.join('\n'));
    return data;
  };
}

async function importHandlers(file: string) {
  const { handlers: handlersFn } = await import(pathToFileURL(file).href);
  const { handlerMap } = SchemaKit.createHandlers({ handlersFn, routeNames: ['getItems'] });
  return { handlerMap };
}
