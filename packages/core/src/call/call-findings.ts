import { type HttpAnswer, HttpError } from '@schemakit/http';
import { type Finding, messageOf, type Severity } from '../schema/finding.ts';
import type { Tool } from '../schema/schema.ts';

export function callFinding(
  code: string,
  message: string,
  { path = '', severity = 'error', hint }: { path?: string; severity?: Severity; hint?: string | undefined } = {},
): Finding {
  return { code, severity, path, message, ...(hint !== undefined && { hint }) };
}

const snippetLength = 500;

const hints: Readonly<Record<number, string>> = {
  400: 'The API did not accept the arguments; its answer says why.',
  401: 'Credentials rejected: the key may be expired, in the wrong header format, or the wrong server parameter.',
  402: 'The API requires payment.',
  403: 'The credentials do not allow this; check their permissions and the server parameters.',
  404: 'The API does not know this address or identifier; check the arguments, and root and path of the schema.',
  405: 'The API does not support this method here; check method and path of the schema.',
  422: 'The API did not accept the arguments; its answer says why.',
  429: 'Upstream rate limiting: wait before the next call.',
};

/** The finding for an HTTP error, with the beginning of its body (docs/errors.md, "Calls"). */
export function upstreamStatusFinding(
  { status, statusText, headers }: Pick<HttpAnswer, 'status' | 'statusText' | 'headers'>,
  text: string,
): Finding {
  const retryAfter = headers['retry-after'];
  const wait =
    retryAfter === undefined
      ? ''
      : ` Retry after ${retryAfter}${/^\d+$/.test(retryAfter) ? ` second${retryAfter === '1' ? '' : 's'}` : ''}.`;
  const hint =
    hints[status] ?? (status >= 500 ? 'The API failed; try again later.' : 'The answer of the API says why.');
  const body = snippet(text);
  const message = `HTTP ${status}: ${statusText || 'error'}.${wait}${body === '' ? '' : ` Answer: ${body}`}`;
  return callFinding(`HTTP_${status}`, message, { hint });
}

export function notJsonFinding({ problem, mimeType }: { problem: string; mimeType: string }, text: string): Finding {
  const message = `Invalid JSON: the API answered with ${mimeType || 'no content type'} (${problem}). Answer: ${snippet(text)}`;
  const hint =
    'The cause may be a wrong base URL, a login page or a changed endpoint. If the API is meant to answer like this, declare its media type in output.mimeType.';
  return callFinding('INVALID_JSON', message, { hint });
}

export function answerTypeFinding(mimeType: string, { name, accept }: Pick<Tool, 'name' | 'accept'>): Finding {
  const message = `The API answered with ${mimeType}, and ${name} accepts ${accept}`;
  const hint = 'Correct accept of the tool, if the API does not have this type.';
  return callFinding('ANSWER_TYPE', message, { path: name, severity: 'warning', hint });
}

/** The finding for a request without an answer. */
export function requestFinding(error: unknown): Finding {
  if (error instanceof HttpError) {
    const origin = URL.parse(error.url)?.origin ?? '<origin>';
    const hint = (hintsForCallers[error.code] ?? error.hint).replaceAll('<origin>', origin);
    return callFinding(error.code, error.message, { hint });
  }
  return callFinding('REQUEST_FAILED', `The request could not be made: ${messageOf(error)}`);
}

// The hints of the HTTP client name its own options, which users of schemas do not have.
const hintsForCallers: Readonly<Record<string, string>> = {
  ADDRESS_BLOCKED:
    'This address is not public, and the schema has no permission for it. If you trust the schema with this one: schemakit trust <file> --network <origin>; in a program, loadSchema({ filePath, grants: { network: ["<origin>"] } }).',
  TOO_LARGE: 'Ask for less, for example with a limit or a filter.',
  TOO_MANY_REDIRECTS: 'Use the final address of the redirects in main.root or path.',
};

function snippet(text: string): string {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(text)?.[1]?.trim();
  if (title !== undefined) return `an HTML page titled "${title}"`;
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > snippetLength ? `${line.slice(0, snippetLength)}… (${text.length} characters)` : line;
}
