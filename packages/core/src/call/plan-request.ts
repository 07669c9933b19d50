import type { Finding } from '../schema/finding.ts';
import type { JsonValue } from '../schema/json.ts';
import type { Tool } from '../schema/schema.ts';
import type { CallContext } from './call-context.ts';
import { hasHeader } from './request/encode-body.ts';
import { planUrl } from './request/plan-url.ts';
import { evaluate, type InputValues, placedValues, type SecretValues, toText } from './request/template-value.ts';

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
  if (!url.ok) return url;
  const headers: Record<string, string> = {};
  for (const { name, value } of tool.headers) headers[name] = toText(evaluate(value, values, secrets) ?? '');
  if (tool.idempotencyHeader !== undefined && idempotencyKey !== undefined)
    headers[tool.idempotencyHeader] = idempotencyKey;
  const plan: RequestPlan = { url: url.text, method: tool.method, headers };
  const body = planBody(tool, values, secrets);
  if (body !== undefined) {
    plan.body = body;
    if (methodsWithBody.has(tool.method) && !hasHeader(headers, 'content-type')) {
      headers['Content-Type'] = 'application/json';
    }
  }
  return { ok: true, plan };
}

/** Every parameter's value by its key, fixed values and secrets included, for handlers that look values up there. */
export function allParameterValues(tool: Tool, values: InputValues, secrets: SecretValues): Record<string, JsonValue> {
  return Object.fromEntries([...Object.entries(values), ...placedValues(tool, values, secrets)]);
}

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH']);

function planBody(tool: Tool, values: InputValues, secrets: SecretValues): JsonValue | undefined {
  const entries = placedValues(tool, values, secrets, 'body');
  // `Object.fromEntries` defines properties, so that `__proto__` is an ordinary key.
  return entries.length > 0 || methodsWithBody.has(tool.method) ? Object.fromEntries(entries) : undefined;
}
