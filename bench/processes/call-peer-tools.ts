import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { sampleArguments } from '../../packages/import/src/fixtures/sample-arguments.ts';
import type { Mock } from '../../packages/import/src/fixtures/start-mock.ts';

/** What came of the tools that a server made from a document. */
export interface Counted {
  tools: number;
  calls: number;
  /** Calls that arrived as one request that satisfies the document. */
  satisfied: number;
  problems: string[];
}

const callTimeout = 5_000;

/** Starts a server over stdio, and calls each of its tools with arguments from its own input schema. Stops calling after some time. */
export async function callPeerTools(
  { args, env }: { args: readonly string[]; env: Readonly<Record<string, string>> },
  mock: Mock,
  { seconds }: { seconds: number },
): Promise<Counted & { isComplete: boolean }> {
  const client = new Client({ name: 'schemakit-bench', version: '1.0.0' });
  const end = performance.now() + seconds * 1000;
  const counted = { tools: 0, calls: 0, satisfied: 0, problems: [] as string[], isComplete: true };
  try {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...args],
      env: { ...env },
      stderr: 'ignore',
    });
    await client.connect(transport, { timeout: 60_000 });
    const { tools } = await client.listTools(undefined, { timeout: 60_000 });
    counted.tools = tools.length;
    for (const { name, inputSchema } of tools) {
      for (const sample of samplesFor(inputSchema)) {
        if (performance.now() > end) return { ...counted, isComplete: false };
        const before = mock.requests.length;
        const failure = await client
          .callTool({ name, arguments: sample }, { timeout: callTimeout })
          .then(({ content }) => JSON.stringify(content).slice(0, 300), String);
        const [first, ...others] = mock.requests.slice(before);
        counted.calls += 1;
        if (first && others.length === 0 && first.problem === undefined) counted.satisfied += 1;
        else counted.problems.push(`${name}: ${first?.problem ?? failure ?? 'no request'}`);
      }
    }
    return counted;
  } finally {
    await client.close();
  }
}

function samplesFor(inputSchema: object): Record<string, unknown>[] {
  try {
    return sampleArguments(inputSchema, { random: 1 });
  } catch {
    // No arguments at all satisfy it.
    return [{}];
  }
}
