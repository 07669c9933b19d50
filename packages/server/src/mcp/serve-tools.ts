import type { Server } from '@modelcontextprotocol/server';
import type { CallCount } from '../call-count.ts';
import type { LiveOffer } from '../offer/live-offer.ts';
import type { CallTool } from './call-tool.ts';
import { cutOff } from './cut-off.ts';
import { fault } from './fault.ts';
import type { MessageWriter } from './message-writer.ts';
import { listPage } from './serve-lists.ts';

/** `tools/list` and `tools/call`. */
export function serveTools(
  server: Server,
  offer: LiveOffer,
  {
    callTool,
    pageSize,
    calls,
    writer,
  }: { callTool: CallTool; pageSize: number; calls: CallCount; writer: MessageWriter | undefined },
): void {
  server.setRequestHandler('tools/list', ({ params }) => {
    const { tools } = offer.current;
    const { entries, next } = listPage(tools.list, ({ name }) => name, { cursor: params?.cursor, pageSize });
    return { tools: entries as never, ...next };
  });
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const { byName, redirects } = offer.current.tools;
    const named = byName.get(params.name);
    if (named === undefined) throw fault({ message: `Tool ${params.name} not found` });
    const given = params.arguments ?? {};
    const target = redirects?.get(params.name)?.(given) ?? { tool: named, args: given };
    if ('result' in target) return target.result as never;
    const { tool, args } = target;
    const { id, signal, _meta: meta, notify } = context.mcpReq;
    const sendProgress = progressSender(meta?.progressToken, notify);
    let written: { content: object; text: string } | undefined;
    const onStructuredText = (content: object, text: string) => {
      written = { content, text };
    };
    const call = {
      signal,
      meta,
      ...(sendProgress && { onProgress: sendProgress }),
      ...(writer && { onStructuredText }),
    };
    const answered = calls.during(
      () => callTool(tool, args, call),
      () => cutOff(server, id),
    );
    return answered.then((result) => {
      // An answer that nobody waits for is not written.
      if (written && result.structuredContent === written.content && !signal.aborted) writer?.keep(id, written.text);
      return result;
    }) as never;
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
