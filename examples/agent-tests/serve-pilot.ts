import { fileURLToPath } from 'node:url';
import { AgentToolsServer, type LlmConfig } from '@schemakit/agent-server';
import { SchemaKit } from '@schemakit/core';

/** Opens the agent as the program serves it. Only the model is different in tests. */
export async function servePilot({
  llm,
  apiUrl,
}: {
  llm: LlmConfig;
  apiUrl: string;
}): ReturnType<typeof AgentToolsServer.fromManifest> {
  const tides = await SchemaKit.loadSchema({ filePath: pathOf('../first-schema/tides.mjs') });
  if (!tides.status) throw new Error(tides.messages.join('\n'));
  // The file names port 4849; the API of the tests took any free one.
  tides.main.root = apiUrl;
  return AgentToolsServer.fromManifest({
    file: pathOf('./agents/pilot/agent.mjs'),
    schemas: [tides],
    llm,
    prices: { 'anthropic/claude-sonnet-5': { input: 3, output: 15 } },
    agent: {
      maxCost: 0.05,
      answerSchema: {
        type: 'object',
        properties: { hour: { type: 'string', pattern: '^\\d\\d:\\d\\d$' }, reason: { type: 'string' } },
        required: ['hour', 'reason'],
      },
    },
  });
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
