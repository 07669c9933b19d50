import { type CommandResult, failWith } from '../../output/command-result.ts';
import { printable } from '../../output/terminal-text.ts';
import { closeOnSignals } from '../end-on-signals.ts';
import { argumentsOf, createAgent } from './create-agent.ts';
import { readModelAccess } from './model-access.ts';
import { type AgentFlags, loadAgentServer, openAgent } from './open-agent.ts';

/** `schemakit agent run`: runs an agent once. Rounds and calls go to stderr at a terminal, the answer to stdout. */
export async function runAgent(flags: AgentFlags, file: string, input: string): Promise<CommandResult> {
  const installed = await loadAgentServer();
  if (!installed.ok) return installed.result;
  const opened = await openAgent(file, flags);
  if (!opened.ok) return opened.result;
  const access = readModelAccess(opened.serverParams);
  if (!access.ok) return access.result;
  const { agents } = installed;
  const created = await createAgent(agents, opened, { llm: access.llm, flags });
  if (!created.ok) return failWith(created.findings);
  const { mcp, name } = created;
  closeOnSignals(() => mcp.close());
  try {
    const result = await mcp.callTool({
      name,
      arguments: argumentsOf(input),
      onEvent(event) {
        const text = agents.progressText(event);
        if (process.stderr.isTTY === true && text !== undefined) process.stderr.write(`${printable(text)}\n`);
      },
    });
    return runDocument(result);
  } finally {
    await mcp.close();
  }
}

type Result = Awaited<
  ReturnType<
    Awaited<ReturnType<typeof import('@schemakit/agent-server').AgentToolsServer.fromManifest>>['mcp']['callTool']
  >
>;

function runDocument({ structuredContent, content, isError = false, _meta = {} }: Result): CommandResult {
  const run = _meta['schemakit/run'];
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  if (!isError)
    return {
      document: { status: true, answer: structuredContent, run },
      text: () => printable(text, { keepLines: true }),
    };
  const { answer = null } = Object(run) as { answer?: unknown };
  return { document: { status: false, error: text, answer, run } };
}
