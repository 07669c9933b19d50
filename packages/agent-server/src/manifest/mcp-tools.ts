import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isAmount, markUnknownCost, type Usage } from '../model/model.ts';
import { type AgentTool, failed, type ToolAnswer, type ToolCallContext, untilAborted } from '../run/agent-tool.ts';
import { dataOf, fitAnswer } from '../run/fit-answer.ts';
import type { McpSource } from './config.ts';
import { effectOf, isDestructive, toAnswer } from './schema-tools.ts';

/** The tools of another MCP server. The connection is made when a run first needs it, and again after it was lost. */
export interface McpTools {
  /** Its tools; none, and why, if it cannot be reached within 5 seconds: the agent works without them. Never rejects. */
  list(signal: AbortSignal): Promise<{ tools: AgentTool[]; problem?: string }>;
  close(): Promise<void>;
}

/** How long connecting and listing may take together, in milliseconds. */
const connectTimeoutMs = 5_000;

interface Connection {
  client: Client;
  /** The allowed tools by name. Undefined after the server has changed its tools. */
  tools: Promise<ReadonlyMap<string, Listed>> | undefined;
}

type Listed = Awaited<ReturnType<Client['listTools']>>['tools'][number];

export function connectMcpTools(source: McpSource, { allowDestructive }: { allowDestructive: boolean }): McpTools {
  const { allow = [] } = source;
  // The query and arguments may be secrets.
  const where = source.url?.replace(/[?#].*/s, '') ?? source.command?.[0];
  const noneAllowed = `${where} has no tool that this agent may call. Allowed are tools with readOnlyHint: true, and those that allow names.`;
  const isAllowed = ({ name, annotations = {} }: Listed) =>
    (annotations.readOnlyHint === true || allow.includes(name)) &&
    (allowDestructive || !isDestructive({ annotations }));
  const ending = new AbortController();
  let current: Promise<Connection> | undefined;

  function open(): Promise<Connection> {
    if (current !== undefined) return current;
    const mine: Promise<Connection> = connect(() => {
      if (current === mine) current = undefined;
    });
    current = mine;
    return mine;
  }

  async function connect(onLost: () => void): Promise<Connection> {
    const onChanged = () => {
      connection.tools = undefined;
    };
    const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged } };
    const client = new Client({ name: 'schemakit-agent', version: '1.0.0' }, { listChanged });
    const connection: Connection = { client, tools: undefined };
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(connectTimeoutMs)]);
    try {
      signal.throwIfAborted();
      await client.connect(transportOf(source), { signal, timeout: connectTimeoutMs });
      await toolsOf(connection, signal);
      client.onclose = onLost;
      return connection;
    } catch (error) {
      onLost();
      void client.close().catch(() => {});
      throw signal.aborted ? new Error(`no answer within ${connectTimeoutMs} ms`) : error;
    }
  }

  /** The tools as the server has them now. */
  async function toolsOf(
    connection: Connection,
    signal: AbortSignal = AbortSignal.timeout(connectTimeoutMs),
  ): Promise<ReadonlyMap<string, Listed>> {
    connection.tools ??= listTools(connection.client, signal).then(
      (tools) => new Map(tools.filter(isAllowed).map((tool) => [tool.name, tool])),
    );
    try {
      return await connection.tools;
    } catch (error) {
      connection.tools = undefined;
      throw error;
    }
  }

  async function call(
    { name, effect }: Pick<AgentTool, 'name' | 'effect'>,
    args: Record<string, unknown>,
    context: ToolCallContext,
  ): Promise<ToolAnswer> {
    for (let isRepeated = false; ; isRepeated = true) {
      const connection = await open();
      if (!(await toolsOf(connection)).has(name)) return failed(`The server of ${name} does not have it any more.`);
      try {
        return await callOnce(connection.client, name, args, context);
      } catch (error) {
        const loss = context.signal.aborted ? undefined : lossOf(error);
        if (loss === undefined) throw error;
        // Closing makes the next call connect again.
        await connection.client.close().catch(() => {});
        if (loss === 'unknown' && effect === 'write')
          return failed(`${reasonOf(error)}. Check whether the server has run ${name} before you call it again.`);
        if (isRepeated) throw error;
      }
    }
  }

  return {
    async list(signal) {
      const listing = open().then((connection) => toolsOf(connection));
      try {
        const listed = [...(await untilAborted(listing, signal)).values()];
        const tools = listed.map(({ name, description = '', inputSchema, annotations }): AgentTool => {
          const effect = effectOf(annotations);
          return {
            name,
            description,
            inputSchema,
            effect,
            call: (args, context) =>
              call({ name, effect }, args, context).catch((error: unknown) => failed(reasonOf(error))),
          };
        });
        return tools.length > 0 ? { tools } : { tools, problem: noneAllowed };
      } catch (error) {
        if (signal.aborted) return { tools: [] };
        return { tools: [], problem: `The tools of ${where} are missing in this run: ${reasonOf(error)}` };
      }
    },
    async close() {
      ending.abort();
      const connection = await current?.catch(() => undefined);
      await connection?.client.close();
    },
  };
}

async function callOnce(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  { signal, maxLength, depth }: ToolCallContext,
): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: args, _meta: { [depthKey]: depth } }, { signal });
  const { text, isError } = toAnswer(result);
  const usage = usageOf(result._meta?.['schemakit/run']);
  // Shortening a large answer takes a while: a run that is cancelled ends in between.
  await nextTurn();
  signal.throwIfAborted();
  const data = dataOf(text);
  await nextTurn();
  signal.throwIfAborted();
  const fitted = fitAnswer(data, maxLength);
  return { ...fitted, isError, ...(usage && { usage }) };
}

/** What an agent of ours has used; another server may say anything. */
function usageOf(run: unknown): Partial<Usage> | undefined {
  const { usage, cost, costIsPartial } = Object(run) as Record<string, unknown>;
  const { inputTokens, outputTokens, cachedTokens, requests } = Object(usage) as Record<string, unknown>;
  const amounts = Object.entries({ inputTokens, outputTokens, cachedTokens, requests, cost });
  const known = amounts.filter(([, amount]) => isAmount(amount));
  if (known.length === 0) return undefined;
  return markUnknownCost({ ...Object.fromEntries(known), ...(costIsPartial === true && { costIsPartial }) });
}

/** In `_meta` of a call: how many agents are above it, so that agents that call each other end. */
export const depthKey = 'schemakit/depth';

function transportOf({ url, headers, command = [] }: McpSource) {
  if (url !== undefined) {
    return new StreamableHTTPClientTransport(new URL(url), { ...(headers && { requestInit: { headers } }) });
  }
  const [program = '', ...args] = command;
  return new StdioClientTransport({ command: program, args, stderr: 'ignore' });
}

async function listTools(client: Client, signal: AbortSignal): Promise<Listed[]> {
  try {
    const { tools } = await client.listTools({}, { signal });
    return tools;
  } catch (error) {
    if (signal.aborted || lossOf(error) !== undefined) throw error;
    return await listValid(client, signal);
  }
}

/** The tools of a server that are valid: the SDK refuses all of them because of one that is not. */
async function listValid(client: Client, signal: AbortSignal): Promise<Listed[]> {
  const tools: unknown[] = [];
  let cursor: unknown;
  do {
    const params = typeof cursor === 'string' ? { cursor } : {};
    const page = await client.request({ method: 'tools/list', params }, anyObject, { signal });
    const { tools: found, nextCursor } = page as { tools?: unknown; nextCursor?: unknown };
    if (Array.isArray(found)) tools.push(...found);
    cursor = nextCursor;
  } while (typeof cursor === 'string' && tools.length < maxTools);
  return tools.filter((tool): tool is Listed => {
    const { name, inputSchema } = Object(tool) as { name?: unknown; inputSchema?: unknown };
    return typeof name === 'string' && Object(inputSchema).type === 'object';
  });
}

/** Checks nothing (Standard Schema). */
const anyObject = {
  '~standard': { version: 1, vendor: 'schemakit', validate: (value: unknown) => ({ value: Object(value) as object }) },
} as const;

const maxTools = 1_000;

/** Whether a call failed because its connection was lost: before the server ran anything (`unsent`), or maybe after it. */
function lossOf(error: unknown): 'unsent' | 'unknown' | undefined {
  // The session is gone, such as after a restart. A server does not run calls of a session that it does not know.
  if (error instanceof SdkHttpError) return error.status === 404 ? 'unsent' : undefined;
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.NotConnected) return 'unsent';
    return error.code === SdkErrorCode.ConnectionClosed ? 'unknown' : undefined;
  }
  const { code } = Object(error instanceof Error ? error.cause : undefined) as { code?: unknown };
  if (code === 'ECONNREFUSED') return 'unsent';
  // What `fetch` throws if the network fails.
  return error instanceof TypeError ? 'unknown' : undefined;
}

/** What went wrong, with the reason of the network if there is one. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, code } = Object(error.cause) as { message?: string; code?: string };
  const detail = message || code;
  return detail === undefined ? error.message : `${error.message} (${detail})`;
}
