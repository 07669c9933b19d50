import type { Tool } from '../format/tool.ts';
import type { HandlerMap, SchemaRecord } from '../load/schema-record.ts';
import { type CallOptions, callTool } from './call-tool.ts';
import { callableTool, knownCallableTool } from './callable-tool.ts';
import type { CallOutcome } from './running-call.ts';
import { http } from './shared-http.ts';

/** A call of one tool, with the hooks that it runs. */
export interface RecordCall extends Omit<CallOptions, 'http'> {
  handlerMap: HandlerMap;
  userParams: unknown;
}

/** Calls a tool of a loaded schema. */
export function callRecord(record: SchemaRecord, tool: Tool, call: RecordCall): Promise<CallOutcome> {
  const { handlerMap, userParams, serverParams, signal, timeoutMs, onLog, onProgress, upstream } = call;
  const options = { serverParams, signal, timeoutMs, onLog, onProgress, upstream, http };
  const known = handlerMap === record.handlerMap ? knownCallableTool(record, tool.name) : undefined;
  if (known) return callTool(known, userParams, options);
  return callableTool(record, tool, handlerMap).then((callable) => callTool(callable, userParams, options));
}
