import type { Server } from '@modelcontextprotocol/server';
import type { KeptAnswers } from '../answers/kept-answers.ts';
import type { LiveOffer } from '../catalog/live-offer.ts';
import type { Offer, ServedCallOptions } from '../catalog/offer.ts';
import { page } from '../catalog/page.ts';
import type { CallCount } from '../in-flight.ts';
import type { CallTool } from './call-tool.ts';

/** `tools/list` and `tools/call`. */
export function serveTools(
  server: Server,
  offer: LiveOffer,
  { callTool, pageSize, calls }: { callTool: CallTool; pageSize: number; calls: CallCount },
): void {
  server.setRequestHandler('tools/list', ({ params }) => {
    const { entries, next } = listPage(offer.current.tools.list, ({ name }) => name, {
      cursor: params?.cursor,
      pageSize,
    });
    return { tools: entries as never, ...next };
  });
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const { byName, redirects } = offer.current.tools;
    const named = byName.get(params.name);
    if (named === undefined) throw protocolError({ message: `Tool ${params.name} not found` });
    const given = params.arguments ?? {};
    const target = redirects?.get(params.name)?.(given) ?? { tool: named, args: given };
    if ('result' in target) return target.result as never;
    const { tool, args } = target;
    const { id, signal, _meta: meta, notify } = context.mcpReq;
    const onProgress = progressSender(meta?.progressToken, notify);
    return calls.during(
      () => callTool(tool, args, { signal, meta, ...(onProgress && { onProgress }) }),
      () => cutOff(server, id),
    ) as never;
  });
}

type Notify = (notification: {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; message: string };
}) => Promise<void>;

/** Tells a client that asked for it how far its call is (MCP specification, Progress). */
function progressSender(
  progressToken: string | number | undefined,
  notify: Notify,
): ((message: string) => void) | undefined {
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress += 1;
    // A client that is gone misses nothing.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
  };
}

/** `prompts/list` and `prompts/get`. */
export function servePrompts(server: Server, offer: LiveOffer, { pageSize }: { pageSize: number }): void {
  server.setRequestHandler('prompts/list', ({ params }) => {
    const { list } = offer.current.prompts;
    const { entries, next } = listPage(list, ({ name }) => name, { cursor: params?.cursor, pageSize });
    return { prompts: entries, ...next };
  });
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const prompt = offer.current.prompts.byName.get(params.name);
    if (prompt === undefined) throw protocolError({ message: `Prompt ${params.name} not found` });
    const result = await prompt.get(params.arguments ?? {});
    if (!result.ok) throw protocolError({ message: result.findings.map(({ message }) => message).join('\n') });
    const { description, messages } = result;
    return { ...(description !== undefined && { description }), messages };
  });
}

/** What reading a resource of an API is held to. */
export type ReadOptions = Pick<ServedCallOptions, 'timeoutMs' | 'cache' | 'upstream'>;

/** `resources/list`, `resources/templates/list` and `resources/read`. */
export function serveResources(
  server: Server,
  offer: LiveOffer,
  {
    pageSize,
    calls,
    kept,
    readOptions,
  }: { pageSize: number; calls: CallCount; kept: Pick<KeptAnswers, 'find'> | undefined; readOptions: ReadOptions },
): void {
  server.setRequestHandler('resources/list', ({ params }) => {
    const { list } = offer.current.resources;
    const { entries, next } = listPage(list, ({ uri }) => uri, { cursor: params?.cursor, pageSize });
    return { resources: entries, ...next };
  });
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    const { templates } = offer.current.resources;
    const { entries, next } = listPage(templates, ({ uriTemplate }) => uriTemplate, {
      cursor: params?.cursor,
      pageSize,
    });
    return { resourceTemplates: entries, ...next };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const answer = kept?.find(uri);
    if (answer !== undefined) return { contents: [{ uri, ...answer }] };
    const resource = offer.current.resources.all.find(({ matches }) => matches(uri));
    // Clients know a resource that does not exist by data that is the address and nothing else.
    if (resource === undefined) throw protocolError({ message: `Resource ${uri} not found`, data: { uri } });
    const { id, signal } = context.mcpReq;
    const reading = await calls.during(
      () => resource.read(uri, { ...readOptions, signal }),
      () => cutOff(server, id),
    );
    if (!reading.ok) throw protocolError(reading.fault);
    return { contents: reading.contents };
  });
}

// MCP specification, Completion: no more than that in an answer.
const maxValues = 100;

type Reference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };

/** `completion/complete` for arguments of prompts and of resource templates. */
export function serveCompletions(server: Server, offer: LiveOffer): void {
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const values = await completedBy(ref, offer.current).complete(argument.name, argument.value);
    const more = values.length > maxValues ? { total: values.length, hasMore: true } : {};
    return { completion: { values: values.slice(0, maxValues), ...more } };
  });
}

function completedBy(
  ref: Reference,
  { prompts, resources }: Offer,
): { complete(argument: string, value: string): string[] | Promise<string[]> } {
  if (ref.type === 'ref/prompt') {
    const prompt = prompts.byName.get(ref.name);
    if (prompt === undefined) throw protocolError({ message: `Prompt ${ref.name} not found` });
    return prompt;
  }
  const { uri } = ref;
  const resource =
    resources.all.find(({ template }) => template?.uriTemplate === uri) ??
    resources.all.find(({ matches }) => matches(uri));
  if (resource === undefined) throw protocolError({ message: `Resource template ${uri} not found`, data: { uri } });
  return resource;
}

// JSON-RPC 2.0: invalid params. The MCP specification answers an unknown tool, prompt, resource or cursor so.
const invalidParams = -32602;

/** An error that the SDK answers as one of the protocol. */
function protocolError({
  code = invalidParams,
  message,
  data,
}: {
  code?: number;
  message: string;
  data?: unknown;
}): Error {
  return Object.assign(new Error(message), { code, data });
}

/** The page of a list that a request asks for. A cursor that no list has given out is an error of the protocol. */
function listPage<Entry>(
  list: readonly Entry[],
  nameOf: (entry: Entry) => string,
  options: { cursor?: string | undefined; pageSize: number },
): { entries: Entry[]; next: { nextCursor?: string } } {
  const found = page(list, nameOf, options);
  if (found === undefined) throw protocolError({ message: 'This cursor is not valid. Ask for the list without one.' });
  const { entries, ...next } = found;
  return { entries, next };
}

/** The answer to a request whose call was cut off by the end of the server. */
export const cutOffError = {
  code: -32000,
  message: 'The server has ended before this was finished. Ask again.',
};

/** Answers a request so, while its handler is still running: what that works on ends with the connection. */
function cutOff(server: Server, id: string | number): void {
  // A client that is gone misses nothing.
  server.transport?.send({ jsonrpc: '2.0', id, error: cutOffError }).catch(() => {});
}
