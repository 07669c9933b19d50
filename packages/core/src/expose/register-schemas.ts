import type { Finding } from '../format/finding.ts';
import { promptFinding } from '../format/prompts/prompt-codes.ts';
import { referenceFinding } from '../format/references/reference.ts';
import { mcpToolName } from '../format/references/tool-names.ts';
import { resourceFinding } from '../format/resource-codes.ts';
import type { ExposedTool } from './exposed-tool.ts';
import type { McpServerLike } from './mcp-server-like.ts';
import type { ExposedPrompt } from './prompts.ts';
import { registerDistinct } from './register-distinct.ts';
import { promptRegistrar } from './register-prompts.ts';
import { registerResources } from './register-resources.ts';
import { toolRegistrar } from './register-tools.ts';

/** What was put on a server, and what there is to say about it. */
export interface RegisteredTools {
  /** By the name on the server. */
  mcpTools: Record<string, unknown>;
  /** By address or template. */
  mcpResources: Record<string, unknown>;
  /** The tools under the names that they have on the server. */
  tools: ExposedTool[];
  findings: Finding[];
}

/** Puts tools on a server, and the resources that some of them are as well. Never throws. */
export function putTools(server: McpServerLike, tools: readonly ExposedTool[]): RegisteredTools {
  const { registered, entries, renamed, problem } = registerDistinct(tools, toolRegistrar(server));
  const findings = renamed.map(({ from, entry }) => renamedTool(from, entry));
  if (problem !== undefined) {
    return { mcpTools: registered, mcpResources: {}, tools: entries, findings: [...findings, noTools(problem)] };
  }
  const resources = registerResources(
    server,
    entries.flatMap(({ resource }) => resource ?? []),
  );
  findings.push(...resources.taken.map(takenResource));
  if (resources.problem !== undefined) findings.push(noResources(resources.problem));
  return { mcpTools: registered, mcpResources: resources.registered, tools: entries, findings };
}

/** Puts prompts on a server. Never throws. */
export function putPrompts(
  server: McpServerLike,
  prompts: readonly ExposedPrompt[],
): { mcpPrompts: Record<string, unknown>; findings: Finding[] } {
  const { registered, entries, problem } = registerDistinct(prompts, promptRegistrar(server));
  const findings = entries.flatMap(renamedPrompt);
  if (problem !== undefined) findings.push(noPrompts(problem));
  return { mcpPrompts: registered, findings };
}

function renamedTool(from: string, { listing, file }: ExposedTool): Finding {
  const message = `the server has a tool named ${from} already; that of ${file ?? 'this schema'} is ${listing.name}`;
  return referenceFinding('REF005', from, message, 'Activate one of them, or rename the tool in its schema.');
}

function renamedPrompt({ listing, namespace, prompt }: ExposedPrompt): Finding[] {
  const name = mcpToolName(namespace, prompt.name);
  if (listing.name === name) return [];
  const message = `another prompt is named ${name}; this one is ${listing.name}`;
  return [promptFinding('PRM019', name, message, { hint: 'Rename the skill or the prompt in its schema.' })];
}

function noTools(problem: string): Finding {
  return {
    code: 'ARG002',
    severity: 'error',
    path: 'server',
    message: `the server takes no tools: ${problem}`,
    hint: 'Activate the schemas before the server is connected.',
  };
}

function noResources(problem: string): Finding {
  const message = `the server took the tools but not the resources: ${problem}`;
  return resourceFinding('RES031', 'server', message, {
    hint: 'Activate the schemas before the server is connected. What the resources hold is there as tools.',
  });
}

function takenResource(uri: string): Finding {
  const message = `the server has a resource at ${uri} already, and keeps it`;
  return resourceFinding('RES031', 'server', message, { hint: 'What this one holds is there as a tool.' });
}

function noPrompts(problem: string): Finding {
  const message = `the server took the tools but not the prompts: ${problem}`;
  return promptFinding('PRM018', 'server', message, {
    hint: 'Activate the schemas before the server is connected. exposeSchemaPrompts gives the prompts to handlers of your own.',
  });
}
