import { callLoaded } from '../call/fetch-tool.ts';
import type { SecretValues } from '../call/plan-request.ts';
import type { AdaptedSchema } from './adapted-schema.ts';

/** The result of a format 1 call. */
export interface LegacyStruct {
  status: boolean;
  messages: string[];
  /** Null unless `status` is true. */
  data: unknown;
  /** `data` as JSON text; null unless `status` is true. */
  dataAsString: string | null;
}

export interface LegacyCall {
  routeName: string;
  userParams?: unknown;
  serverParams?: SecretValues;
}

/** Calls a route of a converted schema. Never throws: what goes wrong from here on stands in the result. */
export async function fetchRoute(
  { record, main }: AdaptedSchema,
  { routeName, userParams = {}, serverParams = {} }: LegacyCall,
): Promise<LegacyStruct> {
  const tool = record.schema.tools.get(routeName);
  if (tool === undefined) return failed([`Route "${routeName}" not found in schema`]);
  const loaded = { record, tool, main, handlerMap: record.handlerMap, serverParams };
  const { status, messages, data, dataAsString } = await callLoaded(loaded, userParams, {});
  return status ? { status, messages: [], data, dataAsString } : failed(messages);
}

function failed(messages: string[]): LegacyStruct {
  return { status: false, messages, data: null, dataAsString: null };
}
