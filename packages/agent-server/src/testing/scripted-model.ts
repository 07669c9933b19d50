import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@schemakit/core/internal';
import { type Dialect, readRequest, refusalOf, type ScriptedRequest } from './read-request.ts';
import type { ScriptedFault, ScriptedTurn } from './scripted-turn.ts';
import { writeAnswer } from './write-answer.ts';

export type ScriptedModelOptions = (
  | {
      /** Answers in this order. A request beyond the last one gets status 400. */
      turns: readonly ScriptedTurn[];
    }
  | {
      /** Makes the answer of a request, for runs that go on at the same time. What it throws becomes status 400. */
      respond: (request: ScriptedRequest) => ScriptedTurn | Promise<ScriptedTurn>;
    }
) & {
  /** What goes wrong, by the number of the request, from 0 as in `requests`. */
  faults?: Readonly<Record<number, ScriptedFault>>;
};

export interface ScriptedModel {
  /** For `llm.baseURL`. */
  url: string;
  /** All requests so far, those that failed as well. */
  requests: readonly ScriptedRequest[];
  /** Closes the server and its connections. */
  close(): Promise<void>;
}

/**
 * Starts a model that follows a script: an HTTP server on loopback for tests of agents, without keys or costs. It speaks Anthropic
 * Messages (`POST …/v1/messages`) and chat completions (`POST …/chat/completions`), with and without streaming, and refuses with
 * status 400 what the real APIs refuse, such as a tool call without a result.
 *
 * @example
 * const model = await createScriptedModel({
 *   turns: [{ calls: [{ name: 'submit_answer', args: { total: 3 } }] }],
 *   faults: { 0: { status: 429, retryAfter: 0 } },
 * });
 * const body = JSON.stringify({ model: 'any', max_tokens: 100, messages: [{ role: 'user', content: 'How many?' }] });
 * const first = await fetch(`${model.url}/v1/messages`, { method: 'POST', body });
 * const second = await fetch(`${model.url}/v1/messages`, { method: 'POST', body });
 * console.log(first.status, second.status, model.requests[1]?.messages[0]?.text); // 429 200 How many?
 * await model.close();
 */
export async function createScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const { faults = {} } = options;
  const requests: ScriptedRequest[] = [];
  let turnsUsed = 0;

  const nextTurn = async (request: ScriptedRequest): Promise<ScriptedTurn> => {
    if ('respond' in options) return await options.respond(request);
    const turn = options.turns[turnsUsed];
    turnsUsed += 1;
    if (turn === undefined)
      throw new Error(`The script has ${options.turns.length} turns, and this request asks for turn ${turnsUsed}.`);
    return turn;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    const dialect = dialectOf(path);
    if (request.method !== 'POST' || dialect === undefined)
      return sendError(response, 404, `There is no ${request.method} ${path}.`);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const read = readRequest(JSON.parse(await readText(request)), { dialect, path, headers });
    const number = requests.push(read) - 1;
    const { status, retryAfter, delayMs = 0, cut, malformedArguments = false, cutOff } = faults[number] ?? {};
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: goneSignal(response) });
    if (cut === 'before') return void response.destroy();
    if (status !== undefined) {
      if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
      return sendError(response, status, `Scripted: status ${status}.`);
    }
    const refusal = refusalOf(read);
    if (refusal !== undefined) return sendError(response, 400, refusal);
    const scripted = cut === 'middle' ? { text: 'This answer ends in the middle.' } : await nextTurn(read);
    const turn = cutOff === undefined ? scripted : { ...scripted, cutOff };
    const { contentType, body } = writeAnswer(turn, read, { number, malformedArguments });
    response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) });
    if (cut === undefined) return void response.end(body);
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (!response.destroyed) sendError(response, 400, messageOf(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function dialectOf(path: string): Dialect | undefined {
  const { pathname } = new URL(path, 'http://127.0.0.1');
  if (pathname.endsWith('/v1/messages')) return 'anthropic';
  return pathname.endsWith('/chat/completions') ? 'chat' : undefined;
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
}

/** Both dialects read this shape. */
function sendError(response: ServerResponse, status: number, message: string): void {
  const type =
    status === 429
      ? 'rate_limit_error'
      : status === 529
        ? 'overloaded_error'
        : status < 500
          ? 'invalid_request_error'
          : 'api_error';
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error: { type, message } }));
}
