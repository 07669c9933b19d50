import { createHmac } from 'node:crypto';
import { hashValue } from '../format/hash.ts';
import type { Tool } from '../format/tool.ts';
import { pinHashes, pinnedParts } from '../load/lock/schema-pin.ts';
import type { HandlerMap, SchemaRecord } from '../load/schema-record.ts';
import type { InputValues, SecretValues } from './plan-request.ts';

/** A call whose answer may be kept. */
export interface KeyedCall {
  record: SchemaRecord;
  tool: Tool;
  /** The schema's `main`, as its caller passed it. */
  main: unknown;
  handlerMap: HandlerMap;
}

const identities = new WeakMap<Tool, { record: SchemaRecord; identity: string | undefined }>();

/**
 * A hash of all that makes a tool what it is: its request, its handlers, its lists, its grants. Undefined where its answers are
 * not to be kept: it does not ask for it, it is not for reading (RFC 9110, 9.2.1), or its hooks are functions of the program.
 */
export function toolIdentity(call: KeyedCall): string | undefined {
  const { record, tool, handlerMap } = call;
  if (tool.ttlSeconds === undefined || (tool.method !== 'GET' && tool.method !== 'HEAD')) return undefined;
  if (handlerMap !== record.handlerMap && hasHooks(call)) return undefined;
  const known = identities.get(tool);
  if (known?.record === record) return known.identity;
  const identity = makeIdentity(call);
  identities.set(tool, { record, identity });
  return identity;
}

function makeIdentity(call: KeyedCall): string | undefined {
  const { record, tool, main } = call;
  const { grants, approveRoot, schema } = record;
  const own = { namespace: schema.namespace, root: schema.root, tool, grants, approveRoot };
  if (!hasHooks(call)) return hashValue(own);
  const parts = typeof main === 'object' && main !== null ? pinnedParts(main) : undefined;
  if (parts === undefined) return undefined;
  const { handlers, lists } = pinHashes(parts);
  return hashValue({ ...own, handlers, lists, libraries: schema.requiredLibraries });
}

function hasHooks({ record, tool, handlerMap }: KeyedCall): boolean {
  if (record.program !== undefined) return true;
  const hooks = Object.hasOwn(handlerMap, tool.name) ? handlerMap[tool.name] : undefined;
  return Object.values(hooks ?? {}).some((hook) => hook !== null && hook !== undefined);
}

/**
 * The key of an answer: `<namespace>/<tool>/<digest>`. The digest covers what the answer depends on beside the tool: the input
 * as canonical JSON (RFC 8785) with its defaults, and the values of the secrets, so that those who have other rights at the API
 * get other answers.
 */
export function answerKey(
  { record, tool }: Pick<KeyedCall, 'record' | 'tool'>,
  { identity, values, secrets, salt }: { identity: string; values: InputValues; secrets: SecretValues; salt: string },
): string {
  const digest = createHmac('sha256', salt)
    .update(hashValue({ identity, values: { ...values }, secrets }))
    .digest('hex');
  return `${record.schema.namespace}/${tool.name}/${digest}`;
}
