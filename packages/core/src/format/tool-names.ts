import { mcpToolName, plainToolName } from './mcp-tool-name.ts';

/** A tool among those of several schemas. */
export interface ToolPlace {
  namespace: string;
  toolName: string;
  /** The schema's file: `<source>/<file>.mjs`, or a path that ends so. */
  file?: string;
  /** The provider's folder. Default: the folder that `file` is in. */
  folder?: string;
}

/** The names of one tool. */
export interface ToolNames {
  /** On MCP: `<namespace>__<toolName>` in the characters that clients take (specification 2.3). */
  mcp: string;
  /** On the command line: `<namespace>_<toolName>` (specification 2.3). */
  cli: string;
  /** In agents: `<namespace>/tool/<toolName>` (specification 2.8). */
  id: string;
  /** As older programs of the format named it: `tool_name_namespace`. */
  legacy: string;
  /** In groups: `<source>/<file>.mjs::tool::<toolName>` (specification 2.11). Only where the file is known. */
  reference?: string;
}

/** All names of a tool. In a set of tools, use `nameTools`: it keeps names apart. */
export function toolNames({ namespace, toolName, file }: ToolPlace): ToolNames {
  return {
    mcp: mcpToolName(namespace, toolName),
    cli: `${namespace}_${plainToolName(toolName)}`,
    id: `${namespace}/tool/${toolName}`,
    legacy: legacyName(namespace, toolName),
    ...(file !== undefined && { reference: `${file}::tool::${toolName}` }),
  };
}

// The older programs cut before they replaced, so that the result is what users have in their notes.
function legacyName(namespace: string, toolName: string): string {
  return `${snakeCase(toolName)}_${snakeCase(namespace)}`.slice(0, 63).replaceAll(':', '').replace(/[-/]/g, '_');
}

function snakeCase(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
