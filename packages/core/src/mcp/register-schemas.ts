import { type Finding, messageOf } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { mcpToolName, numberedName } from '../schema/references/tool-names.ts';
import type { ExposedTool } from './mcp-tools.ts';
import type { ExposedPrompt } from './prompts.ts';
import { createRegistrar, isTaken, type McpServerLike } from './registrar.ts';

const beforeConnecting = 'Activate the schemas before the server is connected.';

/** The tools that were registered on a server, with findings. */
export interface RegisteredTools {
  /** By the name on the server. */
  mcpTools: Record<string, unknown>;
  /** By address or template. */
  mcpResources: Record<string, unknown>;
  /** The tools with their names on the server. */
  tools: ExposedTool[];
  findings: Finding[];
}

/** Registers tools on a server, and the resources that some of them also are. Never throws. */
export function registerTools(server: McpServerLike, tools: readonly ExposedTool[]): RegisteredTools {
  const registrar = createRegistrar(server);
  const { registered, entries, renamed, problem } = registerDistinct(tools, registrar.tool);
  const findings = renamed.map(({ from, entry }) => renamedTool(from, entry));
  if (problem !== undefined) {
    const message = `the server accepts no tools: ${problem}`;
    findings.push({ code: 'ARG002', severity: 'error', path: 'server', message, hint: beforeConnecting });
    return { mcpTools: registered, mcpResources: {}, tools: entries, findings };
  }
  const mcpResources: Record<string, unknown> = {};
  for (const { resource } of entries) {
    try {
      if (resource) Object.assign(mcpResources, registrar.resource(resource));
    } catch (error) {
      if (!isTaken(error)) {
        const message = `the server accepted the tools but not the resources: ${messageOf(error)}`;
        const hint = `${beforeConnecting} The same data is available through tools.`;
        findings.push(ruleFinding('RES031', 'server', message, hint));
        break;
      }
      const message = `the server already has a resource at ${resource?.uri}, which is kept`;
      findings.push(ruleFinding('RES031', 'server', message, 'The same data is available through a tool.'));
    }
  }
  return { mcpTools: registered, mcpResources, tools: entries, findings };
}

/** Registers prompts on a server. Never throws. */
export function registerPrompts(
  server: McpServerLike,
  prompts: readonly ExposedPrompt[],
): { mcpPrompts: Record<string, unknown>; findings: Finding[] } {
  const { registered, entries, problem } = registerDistinct(prompts, createRegistrar(server).prompt);
  const findings = entries.flatMap(renamedPrompt);
  if (problem !== undefined) {
    const message = `the server accepted the tools but not the prompts: ${problem}`;
    const hint = `${beforeConnecting} exposeSchemaPrompts gives the prompts to your own handlers.`;
    findings.push(ruleFinding('PRM018', 'server', message, hint));
  }
  return { mcpPrompts: registered, findings };
}

function renamedTool(from: string, { listing, file }: ExposedTool): Finding {
  const message = `the server already has a tool named ${from}; that of ${file ?? 'this schema'} is exposed as ${listing.name}`;
  return ruleFinding('REF005', from, message, 'Activate one of them, or rename the tool in its schema.');
}

function renamedPrompt({ listing, namespace, prompt }: ExposedPrompt): Finding[] {
  const name = mcpToolName(namespace, prompt.name);
  if (listing.name === name) return [];
  const message = `another prompt is named ${name}; this one is exposed as ${listing.name}`;
  return [ruleFinding('PRM019', name, message, 'Rename the skill or the prompt in its schema.')];
}

interface Named {
  listing: { name: string };
}

interface Distinct<Entry extends Named> {
  /** The objects that the server returned, by name. */
  registered: Record<string, unknown>;
  /** The entries with their names on the server. */
  entries: Entry[];
  /** Entries whose name was taken. */
  renamed: { from: string; entry: Entry }[];
  /** Why the server accepts no more entries. */
  problem?: string;
}

/** Registers entries one by one. A taken name, for which `register` throws, gets `_2` and so on, but never the name of another entry. */
export function registerDistinct<Entry extends Named>(
  entries: readonly Entry[],
  register: (entry: Entry) => unknown,
): Distinct<Entry> {
  const own = new Set(entries.map(({ listing }) => listing.name));
  const result: Distinct<Entry> = { registered: {}, entries: [], renamed: [] };
  for (const entry of entries) {
    const from = entry.listing.name;
    let named = entry;
    for (let number = 2; ; number += 1) {
      const { name } = named.listing;
      try {
        result.registered[name] = register(named);
        break;
      } catch (error) {
        if (!isTaken(error)) return { ...result, problem: messageOf(error) };
      }
      while (own.has(numberedName(from, number))) number += 1;
      named = { ...entry, listing: { ...entry.listing, name: numberedName(from, number) } };
    }
    own.add(named.listing.name);
    result.entries.push(named);
    if (named !== entry) result.renamed.push({ from, entry: named });
  }
  return result;
}
