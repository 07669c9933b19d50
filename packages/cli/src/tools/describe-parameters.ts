import type { ExposedTool } from '@schemakit/core';
import { isRecord } from '../settings/read-json.ts';

/** What a caller gives for a parameter. */
export interface ParameterSummary {
  type: string;
  required: boolean;
  default?: unknown;
  values?: readonly unknown[];
  description?: string;
}

/** The parameters of a tool by name. */
export function describeParameters({ listing }: ExposedTool): Record<string, ParameterSummary> {
  const { properties, required } = listing.inputSchema;
  const needed = Array.isArray(required) ? required : [];
  const entries = isRecord(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(entries.map(([name, schema]) => [name, summaryOf(schema, needed.includes(name))]));
}

function summaryOf(schema: unknown, required: boolean): ParameterSummary {
  const { type, enum: values, default: fallback, description } = isRecord(schema) ? schema : {};
  return {
    type: Array.isArray(values) ? 'enum' : [type].flat().join(' or '),
    required,
    ...(fallback !== undefined && { default: fallback }),
    ...(Array.isArray(values) && { values }),
    ...(typeof description === 'string' && { description }),
  };
}
