import type { Server } from '@modelcontextprotocol/server';
import type { CallCount } from '../in-flight.ts';
import type { LiveOffer } from '../offer/live-offer.ts';
import type { CallTool } from './call-tool.ts';
import { cutOff, listPage, protocolError } from './protocol-error.ts';

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
