import type { Finding } from '../format/finding.ts';
import { isObject } from '../format/json.ts';
import type { HookName, HookOutcome } from '../handlers/handler-call.ts';
import { kindOf } from './apply-struct.ts';

/** What each hook may return; of the hooks with older names anything is the new value. */
const forms: Partial<Record<HookName, { keys: readonly string[]; write: string }>> = {
  preRequest: { keys: ['struct', 'params', 'payload'], write: '{ struct } or { params }' },
  executeRequest: { keys: ['struct', 'response'], write: '{ response }, or { struct } with the answer in struct.data' },
  postRequest: { keys: ['struct', 'response'], write: '{ response }, or { struct } with the answer in struct.data' },
};

/** The warning for a hook that returned something in which nobody looks for its work. */
export function ignoredResult(hook: string, { value, changes }: HookOutcome, tool: string): Finding | undefined {
  const form = forms[hook as HookName];
  if (form === undefined || value === undefined || value === null || Object.keys(changes).length > 0) return undefined;
  const keys = isObject(value) ? Object.keys(value) : [];
  const isTaken = isObject(value) && (keys.length === 0 || form.keys.some((key) => isPart(key, value[key])));
  if (isTaken) return undefined;
  const listed = keys.filter((key) => key.length <= 40).slice(0, 5);
  const isAll = listed.length === keys.length;
  const what = isObject(value) ? `an object with ${[...listed, ...(isAll ? [] : ['…'])].join(', ')}` : kindOf(value);
  return {
    code: 'HANDLER_RESULT_IGNORED',
    severity: 'warning',
    path: tool,
    message: `${hook} of ${tool} returned ${what}, which is not used`,
    hint: `Return ${form.write}.`,
  };
}

/** The answer may be anything; the other parts are objects. */
function isPart(key: string, value: unknown): boolean {
  return key === 'response' ? value !== undefined : isObject(value);
}
