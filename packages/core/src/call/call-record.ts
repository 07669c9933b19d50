import { createHttpClient } from '@schemakit/http';
import type { Tool } from '../format/tool.ts';
import type { HandlerMap, SchemaRecord } from '../load/schema-record.ts';
import { type CallOptions, type CallOutcome, callTool } from './call-tool.ts';
import { callableTool, knownCallableTool } from './callable-tool.ts';

/** One client for all calls of this process, so that they share connections. Idle connections do not keep the process alive. */
const http = createHttpClient();

/** A call of one tool, with the hooks that it runs. */
export interface RecordCall extends Omit<CallOptions, 'http'> {
  handlerMap: HandlerMap;
  userParams: unknown;
}

/** Calls a tool of a loaded schema. */
export async function callRecord(record: SchemaRecord, tool: Tool, call: RecordCall): Promise<CallOutcome> {
  const { handlerMap, userParams, ...options } = call;
  const known = handlerMap === record.handlerMap ? knownCallableTool(record, tool.name) : undefined;
  return callTool(known ?? (await callableTool(record, tool, handlerMap)), userParams, { ...options, http });
}
