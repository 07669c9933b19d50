import { createBodyMask } from '@schemakit/core/internal';
import {
  createScrubber,
  type HttpAnswer,
  HttpError,
  type HttpRequest,
  type Interceptor,
  interceptRequests,
} from '@schemakit/http';
import { printable } from '../../output/terminal-text.ts';
import { maskRequest } from '../../testing/recordings/masked-request.ts';
import type { RecordedBody } from '../../testing/recordings/recording.ts';

export interface WatchedCall {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The body of the last answer, with secrets masked. Undefined if nothing was sent. */
  body(): Uint8Array | undefined;
}

/** Follows the requests of a call: prints them, the heads of answers and times on stderr if `isVerbose`, and keeps the last answer. */
export function watchCall({ isVerbose, secrets }: { isVerbose: boolean; secrets: readonly string[] }): WatchedCall {
  let values = secrets;
  let scrub = createScrubber(values);
  let last: HttpAnswer | undefined;
  const intercept: Interceptor = async (request, send, { secretValues = [] }) => {
    // Access tokens among them.
    if (secretValues.some((value) => !values.includes(value))) {
      values = [...new Set([...values, ...secretValues])];
      scrub = createScrubber(values);
    }
    if (isVerbose) print('>', requestLines(request, scrub));
    const start = performance.now();
    try {
      const answer = await send();
      last = answer;
      if (isVerbose) print('<', answerHead(answer, start, scrub));
      return answer;
    } catch (error) {
      const code = error instanceof HttpError ? error.code : 'error';
      if (isVerbose) print('<', [`${code} (${elapsed(start)})`]);
      throw error;
    }
  };
  return {
    run: (work) => interceptRequests(intercept, work),
    body: () => last && createBodyMask({ values, scrub })(last.body),
  };
}

const shownCharacters = 2000;

function requestLines(request: HttpRequest, scrub: (text: string) => string): string[] {
  const { method, url, headers, body } = maskRequest(request, scrub);
  return [`${method} ${url}`, ...headerLines(headers), ...(body === undefined ? [] : ['', ...bodyLines(body)])];
}

/** The body of a request, shortened. */
function bodyLines(body: RecordedBody): string[] {
  if ('base64' in body) return [`(${Buffer.from(body.base64.join(''), 'base64').length} bytes that are not text)`];
  const text = 'json' in body ? JSON.stringify(body.json) : body.text.join('\n');
  const lines = text.slice(0, shownCharacters).split('\n');
  if (text.length <= shownCharacters) return lines;
  const [shown, all] = [shownCharacters, text.length].map((count) => count.toLocaleString('en-US'));
  return [...lines, `(shortened: ${shown} of ${all} characters; --dry-run shows the whole body)`];
}

function answerHead(answer: HttpAnswer, start: number, scrub: (text: string) => string): string[] {
  const { status, statusText, headers, redirects, attempts, byteLength } = answer;
  const sent = attempts - redirects.length;
  const more = sent > 1 ? `, sent ${sent} times` : '';
  return [
    ...redirects.map(({ status: code, to }) => `${code} ${to}`),
    `${status} ${statusText} (${elapsed(start)}, ${byteLength} bytes${more})`,
    ...headerLines(headers),
  ].map(scrub);
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function elapsed(start: number): string {
  return `${Math.round(performance.now() - start)} ms`;
}

function print(mark: '>' | '<', lines: readonly string[]): void {
  process.stderr.write(`${lines.map((line) => `${mark} ${printable(line)}\n`).join('')}\n`);
}
