import { HttpError } from '@schemakit/http';
import { isPlainObject, type PlainObject } from '../findings/plain-object.ts';
import type { Clock } from '../network/clock.ts';
import type { Network } from '../network/network.ts';
import { parseJson } from '../probe/parse-json.ts';

/** What came of asking for a metadata document. */
export type MetadataAnswer =
  | { document: PlainObject; url: string }
  | {
      document?: undefined;
      isBlocked: boolean;
      isLate: boolean;
      /** Something is there, but no metadata. */
      isOther: boolean;
      /** What came instead, as the end of a sentence. */
      reason: string;
    };

const BLOCKED: ReadonlySet<string> = new Set(['ADDRESS_BLOCKED', 'PROTOCOL_BLOCKED', 'INVALID_URL']);

/** Gets a JSON object. Sites that answer every address with a page have none. An address that hangs uses half of the time that is left. */
export async function getDocument(url: URL, network: Network, clock: Clock): Promise<MetadataAnswer> {
  try {
    const answer = await network.get(url, clock.remaining() / 2);
    const document = answer.status === 200 ? parseJson(answer.text()) : undefined;
    if (isPlainObject(document)) return { document, url: url.href };
    const isOther = answer.status === 200;
    const reason = isOther ? 'answers with no JSON object' : `answers HTTP ${answer.status}`;
    return { isBlocked: false, isLate: false, isOther, reason };
  } catch (error) {
    const code = error instanceof HttpError ? error.code : undefined;
    const isLate = code === 'ETIMEDOUT' || code === 'ABORTED';
    const reason = isLate
      ? 'did not answer in time'
      : `gives no answer: ${error instanceof Error ? error.message : 'no reason given'}`;
    return { isBlocked: code !== undefined && BLOCKED.has(code), isLate, isOther: false, reason };
  }
}

/** Without TLS anybody on the way could send users to a server of his own; on one's own machine there is nobody on the way. */
export function isSafeOAuthUrl(text: unknown): boolean {
  const url = typeof text === 'string' ? URL.parse(text) : null;
  if (url === null) return false;
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname))
  );
}
