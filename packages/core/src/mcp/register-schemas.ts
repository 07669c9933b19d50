import type { Finding } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { mcpToolName } from '../schema/references/tool-names.ts';
import type { ExposedTool } from './exposed-tool.ts';
import type { ExposedPrompt } from './prompts.ts';
import { isTaken, registerDistinct } from './register-distinct.ts';
import { createRegistrar, type McpServerLike } from './registrar.ts';

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
  const registrar = createRegistrar(server);
  const { registered, entries, renamed, problem } = registerDistinct(tools, registrar.tool);
  const findings = renamed.map(({ from, entry }) => renamedTool(from, entry));
  if (problem !== undefined) {
    return { mcpTools: registered, mcpResources: {}, tools: entries, findings: [...findings, noTools(problem)] };
  }
  const mcpResources: Record<string, unknown> = {};
  for (const { resource } of entries) {
    try {
      if (resource) Object.assign(mcpResources, registrar.resource(resource));
    } catch (error) {
      if (isTaken(error)) findings.push(takenResource(resource?.uri ?? ''));
      else {
        findings.push(noResources(error instanceof Error ? error.message : String(error)));
        break;
      }
    }
  }
  return { mcpTools: registered, mcpResources, tools: entries, findings };
}

/** Puts prompts on a server. Never throws. */
export function putPrompts(
  server: McpServerLike,
  prompts: readonly ExposedPrompt[],
): { mcpPrompts: Record<string, unknown>; findings: Finding[] } {
  const { registered, entries, problem } = registerDistinct(prompts, createRegistrar(server).prompt);
  const findings = entries.flatMap(renamedPrompt);
  if (problem !== undefined) findings.push(noPrompts(problem));
  return { mcpPrompts: registered, findings };
}

function renamedTool(from: string, { listing, file }: ExposedTool): Finding {
  const message = `the server has a tool named ${from} already; that of ${file ?? 'this schema'} is ${listing.name}`;
  return ruleFinding('REF005', from, message, 'Activate one of them, or rename the tool in its schema.');
}

function renamedPrompt({ listing, namespace, prompt }: ExposedPrompt): Finding[] {
  const name = mcpToolName(namespace, prompt.name);
  if (listing.name === name) return [];
  const message = `another prompt is named ${name}; this one is ${listing.name}`;
  return [ruleFinding('PRM019', name, message, { hint: 'Rename the skill or the prompt in its schema.' })];
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
  return ruleFinding('RES031', 'server', message, {
    hint: 'Activate the schemas before the server is connected. What the resources hold is there as tools.',
  });
}

function takenResource(uri: string): Finding {
  const message = `the server has a resource at ${uri} already, and keeps it`;
  return ruleFinding('RES031', 'server', message, { hint: 'What this one holds is there as a tool.' });
}

function noPrompts(problem: string): Finding {
  const message = `the server took the tools but not the prompts: ${problem}`;
  return ruleFinding('PRM018', 'server', message, {
    hint: 'Activate the schemas before the server is connected. exposeSchemaPrompts gives the prompts to handlers of your own.',
  });
}
