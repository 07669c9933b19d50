import { callRecord } from '../call/call-record.ts';
import type { SecretValues } from '../call/plan-request.ts';
import { stringifyData } from '../call/stringify-data.ts';
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
  { record }: AdaptedSchema,
  { routeName, userParams = {}, serverParams = {} }: LegacyCall,
): Promise<LegacyStruct> {
  try {
    const tool = record.schema.tools.get(routeName);
    if (tool === undefined) return failed([`Route "${routeName}" not found in schema`]);
    const { handlerMap } = record;
    const { status, findings, data } = await callRecord(record, tool, { handlerMap, userParams, serverParams });
    if (!status) return failed(findings.map(({ message }) => message));
    return { status, messages: [], data, dataAsString: stringifyData(data) };
  } catch (error) {
    return failed([error instanceof Error ? error.message : String(error)]);
  }
}

function failed(messages: string[]): LegacyStruct {
  return { status: false, messages, data: null, dataAsString: null };
}
