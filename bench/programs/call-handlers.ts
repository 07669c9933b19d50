// Calls an identity handler. Arguments: the schema, and the number of hosts, or `direct` to call the function itself.
import { pathToFileURL } from 'node:url';
import { SchemaKit } from '@schemakit/core';
import { answerCallQuestions, type Call } from '../processes/measure-calls.ts';
import { answerOf } from '../schemas/identity.ts';

type Hook = (context: { response: unknown }) => Promise<unknown>;

const [file = '', hosts = ''] = process.argv.slice(2);
const hook = hosts === 'direct' ? await importHook(file) : await loadHook(file, hosts);

answerCallQuestions({ '1 KB': callWith(1), '100 KB': callWith(100), '1 MB': callWith(1000) });

function callWith(kilobytes: number): Call {
  const response = answerOf(kilobytes);
  return () => hook({ response });
}

async function importHook(filePath: string): Promise<Hook> {
  const { handlers } = await import(pathToFileURL(filePath).href);
  return handlers().getAll.postRequest;
}

/** The number of hosts is read when the first handler is called. */
async function loadHook(filePath: string, size: string): Promise<Hook> {
  process.env.SCHEMAKIT_HANDLER_HOSTS = size;
  const { status, messages, handlerMap } = await SchemaKit.loadSchema({ filePath });
  const postRequest = handlerMap.getAll?.postRequest;
  if (!status || !postRequest) throw new Error(messages.join('\n'));
  return async (context) => postRequest(context);
}
