import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Usage } from '../model/model.ts';
import { type AgentTool, failed } from '../run/agent-tool.ts';
import { dataOf, fitAnswer } from '../run/fit-answer.ts';
import type { McpSource } from './config.ts';
import { effectOf, toAnswer } from './schema-tools.ts';

/** The tools of another MCP server. The connection is made when a run first needs it, and again after it was lost. */
export interface McpTools {
  /** Rejects if the server cannot be reached. */
  list(): Promise<(Omit<AgentTool, 'name'> & { name: string })[]>;
  close(): Promise<void>;
}

/** How long connecting and listing may take, in milliseconds. */
const connectTimeoutMs = 10_000;

export function connectMcpTools(source: McpSource, { allowDestructive }: { allowDestructive: boolean }): McpTools {
  let connecting: Promise<{ client: Client; tools: AgentTool[] }> | undefined;
  const connect = async () => {
    const client = new Client({ name: 'schemakit-agent', version: '1.0.0' });
    client.onclose = () => {
      connecting = undefined;
    };
    await client.connect(transportOf(source), { timeout: connectTimeoutMs });
    return {
      client,
      tools: (await listTools(client)).flatMap((tool) =>
        toAgentTool(tool, {
          allow: source.allow,
          allowDestructive,
          client,
          onFailure() {
            connecting = undefined;
          },
        }),
      ),
    };
  };
  return {
    async list() {
      connecting ??= connect();
      try {
        return (await connecting).tools;
      } catch (error) {
        connecting = undefined;
        throw error;
      }
    },
    async close() {
      const open = await connecting?.catch(() => undefined);
      await open?.client.close();
    },
  };
}

function transportOf({ url, headers, command = [] }: McpSource) {
  if (url !== undefined) {
    return new StreamableHTTPClientTransport(new URL(url), { ...(headers && { requestInit: { headers } }) });
  }
  const [program = '', ...args] = command;
  return new StdioClientTransport({ command: program, args, stderr: 'ignore' });
}

type Listed = Awaited<ReturnType<Client['listTools']>>['tools'][number];

async function listTools(client: Client): Promise<Listed[]> {
  const tools: Listed[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: connectTimeoutMs });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined && tools.length < maxTools);
  return tools;
}

const maxTools = 1_000;

function toAgentTool(
  { name, description = '', inputSchema, annotations = {} }: Listed,
  {
    allow = [],
    allowDestructive,
    client,
    onFailure,
  }: {
    allow: readonly string[] | undefined;
    allowDestructive: boolean;
    client: Client;
    /** The next run connects again. */
    onFailure: () => void;
  },
): AgentTool[] {
  if (annotations.readOnlyHint !== true && !allow.includes(name)) return [];
  if (annotations.destructiveHint === true && !allowDestructive) return [];
  return [
    {
      name,
      description,
      inputSchema,
      effect: effectOf(annotations),
      async call(args, { signal, maxLength, depth }) {
        try {
          const result = await client.callTool({ name, arguments: args, _meta: { [depthKey]: depth } }, { signal });
          const { text, isError } = toAnswer(result);
          const run = Object(result._meta?.['schemakit/run']) as { usage?: Partial<Usage>; cost?: number };
          const usage = run.usage && { ...run.usage, ...(run.cost !== undefined && { cost: run.cost }) };
          const fitted = fitAnswer(dataOf(text), maxLength);
          return { ...fitted, isError, ...(usage && { usage }) };
        } catch (error) {
          if (!signal.aborted) onFailure();
          return failed(error instanceof Error ? error.message : String(error));
        }
      },
    },
  ];
}

/** In `_meta` of a call: how many agents are above it, so that agents that call each other end. */
export const depthKey = 'schemakit/depth';
