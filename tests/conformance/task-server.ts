import { setTimeout as sleep } from 'node:timers/promises';
import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import { type CallResult, createServer, type ServedTool, type TaskProvider } from '@schemakit/server';
import type { SuiteServer } from './fixture-server.ts';
import { servedTool } from './fixture-tools.ts';

/** A server with the tools that the suite's scenarios of tasks call. */
export async function startTaskServer(tasks: TaskProvider): Promise<SuiteServer> {
  const { url, close } = await createServer({ tools: taskTools }, { name: 'conformance', tasks }).http();
  return { url: `${url}/mcp`, close };
}

/** The tools of the suite that run as tasks, and one that does not. */
export const taskTools: ServedTool[] = [
  servedTool('greet', async (args) => text(`Hello, ${Object(args).name}!`)),
  taskTool('slow_compute', async (args, { signal, onProgress }) => {
    const { seconds = 0, label = '' } = Object(args) as { seconds?: number; label?: string };
    onProgress?.('computing');
    await sleep(seconds * 1000, undefined, { signal });
    return text(`Computed ${label} in ${seconds} s.`);
  }),
  taskTool(
    'failing_job',
    async (_args, { signal }) => {
      await sleep(1000, undefined, { signal });
      return { ...text('The job failed.'), isError: true };
    },
    { taskSupport: 'required' },
  ),
  taskTool('protocol_error_job', async () => {
    throw new Error('The job ended with an error of the protocol.');
  }),
  taskTool('confirm_delete', async (args, { client }) => {
    const { inputResponses } = client ?? {};
    const { filename } = Object(args) as { filename?: string };
    if (inputResponses === undefined) return ask({ confirm: question(`Delete ${filename}?`, 'confirm', 'boolean') });
    const isConfirmed = acceptedContent<{ confirm?: boolean }>(inputResponses, 'confirm')?.confirm === true;
    return text(isConfirmed ? `Deleted ${filename}.` : `Kept ${filename}.`);
  }),
  taskTool('multi_input', async (_args, { client }) => {
    const { inputResponses } = client ?? {};
    if (inputResponses === undefined) {
      return ask({ name: question('What is your name?', 'name'), town: question('Where do you live?', 'name') });
    }
    return text(`Got ${Object.keys(inputResponses).sort().join(' and ')}.`);
  }),
  {
    ...taskTool('test_tool_with_task', async (_args, { client }) => text(`Done for ${userName(client)}.`), {
      taskSupport: 'required',
    }),
    before(_args, client) {
      return userName(client) === undefined ? ask({ user_name: question('What is your name?', 'name') }) : undefined;
    },
  },
];

type Call = ServedTool['call'];
type Client = NonNullable<NonNullable<Parameters<Call>[1]>['client']>;

function taskTool(
  name: string,
  call: (args: unknown, options: NonNullable<Parameters<Call>[1]>) => Promise<CallResult>,
  execution: { taskSupport: 'optional' | 'required' } = { taskSupport: 'optional' },
): ServedTool {
  const tool = servedTool(name, call);
  return { ...tool, listing: { ...tool.listing, execution } as ServedTool['listing'] };
}

function userName(client: Client | undefined): string | undefined {
  return acceptedContent<{ name?: string }>(client?.inputResponses, 'user_name')?.name;
}

function ask(inputRequests: Record<string, ReturnType<typeof question>>): CallResult {
  return inputRequired({ inputRequests }) as unknown as CallResult;
}

function question(message: string, field: string, type: 'string' | 'boolean' = 'string') {
  const property = type === 'boolean' ? { type } : { type };
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: property }, required: [field] },
  });
}

function text(value: string): CallResult {
  return { content: [{ type: 'text', text: value }] };
}
