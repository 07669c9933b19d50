import type { RequestId } from '@modelcontextprotocol/server';

/** The beginning and the end of a line that is too long to be read. */
export interface LineEnds {
  head: string;
  tail: string;
}

const member = String.raw`"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+)`;
const first = new RegExp(String.raw`^\s*\{\s*(${member}(?:\s*,\s*${member})*)\s*,`);
// What stands between quotes there is outside of them: a text would end where the name of a member begins.
const last = new RegExp(String.raw`,\s*(${member}(?:\s*,\s*${member})*)\s*\}\s*$`);

/**
 * The id of a request that is too long to be read, where it can be told for sure: libraries put it before the long parts of a
 * message, or after them. Null for what may be an answer, whose id is not one of the client's requests.
 */
export function longLineId({ head, tail }: LineEnds): RequestId | null {
  const found = { ...membersIn(first, head), ...membersIn(last, tail) };
  const { method, id } = found;
  if (typeof method !== 'string') return null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : null;
}

function membersIn(pattern: RegExp, text: string): { method?: unknown; id?: unknown } {
  const [, members] = pattern.exec(text) ?? [];
  if (members === undefined) return {};
  try {
    return JSON.parse(`{${members}}`);
  } catch {
    // A text with a control character or an escape that there is not.
    return {};
  }
}
