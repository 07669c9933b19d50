import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { subjectOwner } from '@schemakit/server';
import { AgentConfigError } from '../manifest/check-config.ts';
import { configFinding } from '../manifest/config-codes.ts';
import { openRunStore } from '../store/open-run-store.ts';
import { readStoreKeys, type StoreKeys } from '../store/store-keys.ts';
import { parseStoreUrl } from '../store/store-url.ts';
import { every } from '../tasks/timers.ts';
import { holdResponse, type Replaced } from './hold-response.ts';
import { createPaidCalls, type Message, type PaidRequest, type PaidRunning } from './paid-calls.ts';
import {
  brokenRules,
  expectedPrice,
  isPrice,
  type PaymentSettings,
  type Price,
  paymentProblems,
} from './payment-settings.ts';
import { readBody } from './read-body.ts';
import { type ReceiptStore, refused } from './receipts.ts';
import { createSessionCalls, sessionsIn, sessionsOf } from './session-calls.ts';

export interface PaymentGateOptions extends PaymentSettings {
  /** Prices by the names of tools; others are free. A function is asked at each call, for servers whose tools have several names. */
  prices: Readonly<Record<string, Price>> | ((tool: string) => Price | undefined);
  /** Where receipts and answers are remembered: `memory:` (default), or `sqlite:<file>`, which survives a restart. */
  tasks?: string;
  /** Encrypts them in a file: `<id>:<64 hexadecimal digits>`, several with commas between them. Default: the environment variable `TASKS_KEY`. */
  taskKeys?: string;
  /** Size limit of a request, in bytes. Default 4 MiB. */
  maxBodyBytes?: number;
  /** Receives errors of the facilitator in detail. Clients get only that payments cannot be checked. */
  onError?: (error: Error) => void;
}

/** Middleware of Express, Connect and `node:http`. */
export interface PaymentGate {
  (
    request: IncomingMessage & { body?: unknown; auth?: AuthInfo },
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): void;
  /** Charges for a task when it has ended. Without it, the gate charges when a client gets the result of the task. */
  settleTask(taskId: string, result: unknown): Promise<void>;
  /**
   * Asks the facilitator whether it carries out payments of the `prices`. Rejects with an `Error` if not, whose name is `PriceError`, or
   * if it does not answer.
   */
  check(): Promise<void>;
}

/**
 * Charges for calls of tools by x402, in front of any MCP server over HTTP. A call is paid for in the header `PAYMENT-SIGNATURE` or
 * `X-PAYMENT`, or in `_meta['x402/payment']`. It is charged after it has succeeded, and answered after it was charged.
 *
 * Needs the packages `@x402/core` and `@x402/evm`, and `@x402/svm` for Solana.
 *
 * @throws {@link AgentConfigError} with all faults of the options.
 * @example
 * import http from 'node:http';
 *
 * const gate = paymentGate({
 *   facilitator: { url: 'https://x402.org/facilitator' },
 *   payTo: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
 *   network: 'eip155:84532',
 *   prices: { tides__getTides: '$0.01' },
 * });
 * const mcp = createServer(await SchemaKit.loadSchema({ filePath: 'tides.mjs' })).middleware();
 * const server = http.createServer((request, response) => gate(request, response, () => mcp.handle(request, response)));
 * console.log(server.listening); // false
 */
export function paymentGate(options: PaymentGateOptions): PaymentGate {
  const keys = checkOptions(options);
  const { tasks = 'memory:', prices, status = 402, maxBodyBytes = 4 * 1024 * 1024, onError = () => {} } = options;
  const opened = openRunStore(tasks, { keys });
  opened.then((store) => every(expireMs, () => store.expire().catch(onError)), onError);
  const store: ReceiptStore = {
    putRecord: async (...args) => (await opened).putRecord(...args),
    getRecord: async (key) => (await opened).getRecord(key),
    deleteRecord: async (key) => (await opened).deleteRecord(key),
  };
  const ownPrice = (tool: string) =>
    typeof prices === 'function' ? prices(tool) : Object.hasOwn(prices, tool) ? prices[tool] : undefined;
  const calls = createPaidCalls(store, { ...options, status, priceOf: ownPrice });
  const ofSessions = createSessionCalls();

  /** Holds what is paid for in a stream of a session. */
  function watchStream(response: ServerResponse, sessions: string[]): void {
    holdResponse(response, {
      isStreamOnly: true,
      // The first event of the transport of 2024-11-05 is the address of the session.
      onText: (text) => void sessions.push(...sessionsIn(text)),
      replace: (message: Message) => exchange(message, ofSessions.find(sessions, message.id)),
    });
  }

  async function exchange(message: Message, request: PaidRunning | undefined): Promise<Replaced> {
    if ('method' in message) return calls.exchangeNotice(message);
    const isAnswer = message.result !== undefined || message.error !== undefined;
    return isAnswer && request !== undefined ? calls.exchange(message, request) : { message };
  }

  /** @param messages All of the request: a server answers those that cost nothing, too. */
  function holdAnswers(response: ServerResponse, paid: readonly PaidRunning[], messages: readonly Message[]): void {
    const byId = new Map(paid.map((request) => [String(request.message.id), request]));
    const ids = new Set(messages.map(({ id }) => String(id)));
    holdResponse(response, {
      async replace(message: Message) {
        const id = String(message.id);
        // Whatever id a server answers with: there is only one call.
        const request = messages.length === 1 ? paid[0] : byId.get(id);
        const isStray = request === undefined && message.result !== undefined && !ids.has(id);
        return isStray
          ? { message: problemOf(null, 'The server answered a request that was not sent.') }
          : exchange(message, request);
      },
      unreadable: () => ({
        message: problemOf(null, 'The server did not answer in JSON. Nothing was charged.'),
        status: 502,
      }),
    });
  }

  /** Of calls without an answer. What asks for a task changes nothing about its payment. */
  async function giveBack(paid: readonly PaidRunning[]): Promise<void> {
    const unanswered = paid.filter(({ tool, isAnswered }) => tool !== undefined && isAnswered !== true);
    await Promise.all(unanswered.map(({ begun }) => begun.run.release()));
  }

  /** Gives payments back whose calls got no answer, neither here nor, for a while, on the stream of a session. */
  function releaseLater(response: ServerResponse, paid: readonly PaidRunning[], isSession: boolean): void {
    response.once('close', () => {
      const waitMs = response.statusCode >= 400 ? 0 : lateMs[isSession ? 'session' : 'alone'];
      setTimeout(() => void giveBack(paid), waitMs).unref();
    });
  }

  async function handle(...[request, response, next]: Parameters<PaymentGate>): Promise<void> {
    const sessions = sessionsOf(request);
    if (request.method === 'GET') watchStream(response, sessions);
    if (request.method !== 'POST') return next();
    const body = await readBody(request, maxBodyBytes);
    if ('problem' in body) return send(response, { message: problemOf(null, body.problem), status: body.status });
    const isBatch = Array.isArray(body.value);
    const messages = [body.value].flat().map((message) => Object(message) as Message);
    const ids = messages.flatMap(({ id }) => (id === undefined ? [] : [String(id)]));
    if (new Set(ids).size < ids.length)
      return send(response, { message: problemOf(null, 'Two requests of the batch have the same id.'), status: 400 });
    const payment = isBatch ? undefined : (request.headers['payment-signature'] ?? request.headers['x-payment']);
    const caller = request.auth && subjectOwner(request.auth);
    const admitted: PaidRequest[] = [];
    for (const message of messages) {
      const paid = await calls.admit(message, { payment, mayWait: !isBatch, caller });
      if (paid !== undefined) admitted.push(paid);
    }
    const paid = admitted.filter((each): each is PaidRunning => 'run' in each.begun);
    if (paid.length < admitted.length) {
      await giveBack(paid);
      return send(response, refuse(messages, admitted, isBatch));
    }
    if (paid.length > 0) {
      if (!ofSessions.add(sessions, paid)) {
        await giveBack(paid);
        const problem = 'Another call of the session has this id, and no answer yet.';
        return send(response, { message: problemOf(messages[0]?.id, problem), status: 400 });
      }
      // What is compressed cannot be read here.
      request.headers['accept-encoding'] = 'identity';
      holdAnswers(response, paid, messages);
      releaseLater(response, paid, sessions.length > 0);
    } else if (messages[0]?.method === 'subscriptions/listen') watchStream(response, sessions);
    next();
  }

  /** A batch runs if all of it is paid. */
  function refuse(messages: readonly Message[], admitted: readonly PaidRequest[], isBatch: boolean): Replaced {
    const replies = messages.map((message) => {
      const request = admitted.find((each) => each.message === message);
      if (request === undefined || 'run' in request.begun)
        return { message: problemOf(message.id, 'It was not run, because another call of the batch is not paid.') };
      const isUsed = isBatch && 'answer' in request.begun;
      return calls.reply(
        request,
        isUsed ? refused('The payment was used. Send the call alone to get its answer again.') : request.begun,
      );
    });
    if (!isBatch && replies[0] !== undefined) return replies[0];
    const sent = replies.filter((_, index) => messages[index]?.id !== undefined).map(({ message }) => message);
    return { message: sent, status: Math.max(...replies.map((reply) => reply.status ?? status)) };
  }

  const gate = (...[request, response, next]: Parameters<PaymentGate>) =>
    void handle(request, response, next).catch((error: Error) => {
      // Never `next`: whoever ignores its argument would let an unpaid call pass.
      if (response.headersSent || request.destroyed) response.destroy();
      else
        send(response, { message: problemOf(null, `The request could not be checked: ${error.message}`), status: 500 });
    });
  const check = () => calls.check(typeof prices === 'function' ? {} : prices);
  return Object.assign(gate, { settleTask: calls.settleTask, check });
}

/** How often receipts that have expired are deleted. */
const expireMs = 60_000;

/** How long the answer of a call may come after its response has ended. */
const lateMs = { alone: 5000, session: 60_000 };

function checkOptions(options: PaymentGateOptions): StoreKeys {
  const { prices, tasks = 'memory:', taskKeys, maxBodyBytes = 1 } = Object(options) as PaymentGateOptions;
  const priced = typeof prices === 'function' ? [] : Object.entries(Object(prices));
  const problems = [
    ...paymentProblems(options).map(([path, problem]) => [path.slice(1), problem]),
    ...brokenRules([
      [typeof Object(prices) === typeof prices, 'prices', 'must be an object of prices by tool, or a function'],
      ...priced.map(([tool, price]) => [isPrice(price), `prices.${tool}`, `must be ${expectedPrice}`] as const),
      [Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0, 'maxBodyBytes', 'must be a whole number from 1'],
    ]),
  ];
  const { keys, findings } = readStoreKeys(taskKeys);
  const parsed = parseStoreUrl(String(tasks));
  const all = [
    ...findings,
    ...problems.map(([path = '', problem = '']) => configFinding('AGS001', path, `${path} ${problem}`)),
    ...(parsed.kind === 'wrong' ? [parsed.finding] : []),
  ];
  if (all.length > 0) throw new AgentConfigError('paymentGate', all);
  return keys;
}

function problemOf(id: unknown, message: string): object {
  return { jsonrpc: '2.0', id: id ?? null, error: { code: -32000, message } };
}

function send(response: ServerResponse, { message, status = 200, headers = {} }: Replaced): void {
  const body = JSON.stringify(message);
  // An unread body would be taken for the next request.
  const connection = response.req.complete ? {} : { Connection: 'close' };
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers, ...connection });
  response.end(body);
}
