import type { Finding } from '../schema/finding.ts';
import type { JsonValue } from '../schema/json.ts';
import type { Tool } from '../schema/schema.ts';
import type { CallContext } from './call-context.ts';
import { encodingTypes, hasHeader } from './request/encode-body.ts';
import { planHeaders, setHeader } from './request/plan-headers.ts';
import { planUrl } from './request/plan-url.ts';
import { type InputValues, placedValues, type SecretValues } from './request/template-value.ts';

export interface RequestPlan {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** Not encoded yet: see `encodeBody`. Undefined for a request without a body. */
  body?: JsonValue;
}

export type PlanResult = { ok: true; plan: RequestPlan } | { ok: false; findings: Finding[] };

/**
 * Plans the request of a tool (docs/format.md, "How a request is built"). Pure: the same tool, values and secrets give the same request,
 * and no value of the caller can escape from its position in it. Values are never searched for placeholders.
 */
export function planRequest(
  tool: Tool,
  values: InputValues,
  secrets: SecretValues,
  { idempotencyKey }: Pick<CallContext, 'idempotencyKey'> = {},
): PlanResult {
  const url = planUrl(tool, values, secrets);
  const planned = planHeaders(tool, values, secrets);
  if (!url.ok) return planned.ok ? url : { ok: false, findings: [...url.findings, ...planned.findings] };
  if (!planned.ok) return planned;
  const { headers } = planned;
  if (tool.idempotencyHeader !== undefined && idempotencyKey !== undefined)
    headers[tool.idempotencyHeader] = idempotencyKey;
  const plan: RequestPlan = { url: url.text, method: tool.method, headers };
  const body = planBody(tool, values, secrets);
  if (body !== undefined) {
    plan.body = body;
    const type = tool.encoding === undefined ? 'application/json' : encodingTypes[tool.encoding];
    const hasType = hasHeader(headers, 'content-type') && tool.encoding !== 'form' && tool.encoding !== 'multipart';
    const isSent = tool.encoding === undefined ? methodsWithBody.has(tool.method) : true;
    if (isSent && !hasType && type !== undefined) setHeader(headers, 'Content-Type', type);
  }
  return { ok: true, plan };
}

/** Every parameter's value by its key, fixed values and secrets included, for handlers that look values up there. */
export function allParameterValues(tool: Tool, values: InputValues, secrets: SecretValues): Record<string, JsonValue> {
  return Object.fromEntries([
    ...Object.entries(values),
    ...placedValues(tool, values, secrets).map(([{ key }, value]) => [key, value] as const),
  ]);
}

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

function planBody(tool: Tool, values: InputValues, secrets: SecretValues): JsonValue | undefined {
  const { encoding } = tool;
  const placed = placedValues(tool, values, secrets, 'body');
  const [[only, value] = []] = placed;
  if (encoding === 'text' || encoding === 'binary') return value;
  // Text as a whole body is JSON too, where text alone would be sent as it is.
  if (only?.whole) return typeof value === 'string' ? JSON.stringify(value) : value;
  if (tool.placements.some(({ whole }) => whole)) return undefined;
  const entries = placed.map(([{ key }, item]) => [key, item] as const);
  // `Object.fromEntries` defines properties, so that `__proto__` is an ordinary key.
  return entries.length > 0 || methodsWithBody.has(tool.method) ? Object.fromEntries(entries) : undefined;
}
