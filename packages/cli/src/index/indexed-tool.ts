import type { Finding, McpSkill, PromptListing } from '@schemakit/core';
import type { ServedResource, ServedTool } from '@schemakit/server';
import { isRecord } from '../settings/parse-json.ts';

/** Tools and resources can be called; skills and prompts are texts for models. */
export type EntryType = 'tool' | 'resource' | 'skill' | 'prompt';

export interface ParameterSummary {
  type: string;
  required: boolean;
  default?: unknown;
  values?: readonly unknown[];
  description?: string;
}

/** A tool, database query, document, skill or prompt, as lists and searches show it. */
export interface IndexedTool {
  type: EntryType;
  /** `<namespace>_<toolName>`; the reference if that name is ambiguous. */
  name: string;
  /** Name on MCP: `<namespace>__<toolName>`. Servers number duplicates. */
  mcpName: string;
  /** `<source>/<file>.mjs::<type>::<toolName>`, which is unique. */
  reference: string;
  namespace: string;
  /** `<resource>_<query>` for a database query. */
  toolName: string;
  /** Its name in references of groups: the resource of a database query, otherwise `toolName`. */
  part: string;
  description: string;
  tags: readonly string[];
  parameters: Readonly<Record<string, ParameterSummary>>;
  requiredServerParams: readonly string[];
  schemaName: string;
  source: string;
  /** `<source>/<file>.mjs`, with forward slashes. */
  file: string;
  /** Absolute path of the file. */
  path: string;
}

/** A schema file of a source, valid or not. */
export interface IndexedSchema {
  source: string;
  file: string;
  path: string;
  /** False if the schema has errors: its tools are not in the index then. */
  status: boolean;
  findings: readonly Finding[];
  /** Empty if the file does not set it. */
  namespace: string;
  name: string;
  description: string;
  version: string;
  tags: readonly string[];
  requiredServerParams: readonly string[];
  tools: readonly { type: EntryType; toolName: string }[];
}

export interface IndexedFile {
  schema: IndexedSchema;
  tools: readonly IndexedTool[];
}

/** Details of a schema file: one line in the index file, parsed when needed. */
export interface FileDetails {
  schema: Omit<IndexedSchema, 'source' | 'file' | 'path' | 'tools'>;
  tools: readonly ToolDetails[];
  /** Search words of the shared lists that its tools use, by the name of the list. */
  lists: Readonly<Record<string, readonly string[]>>;
}

export interface ToolDetails extends Pick<ServedTool, 'requiredServerParams' | 'isBinary'> {
  /** Its entry in `tools/list`. Absent for a skill or a prompt. */
  listing?: ServedTool['listing'];
  /** Of a skill or prompt; a tool has it in its listing. */
  description?: string;
  /** Of a skill or prompt; a tool has them in its listing. */
  parameters?: Readonly<Record<string, ParameterSummary>>;
  /** For a query or a document. */
  resource?: Pick<ServedResource, 'resourceName' | 'uri' | 'listing' | 'template'>;
  lists?: readonly string[];
}

export interface ToolNames extends Pick<IndexedTool, 'type' | 'toolName' | 'part'> {
  /** `<namespace>_<toolName>`. */
  cli: string;
  /** Name on MCP; in the index of a server, the final name among all tools. */
  mcp: string;
  /** Name on MCP without other schemas, if that differs. */
  ownMcp?: string;
  aliases?: readonly string[];
}

export interface IndexedPrompt {
  listing: PromptListing;
  namespace: string;
  path: string;
  type: EntryType;
  name: string;
  /** Of a skill, without its files. */
  skill?: Omit<McpSkill, 'files'>;
}

export function summarizeParameters({ inputSchema }: ServedTool['listing']): Record<string, ParameterSummary> {
  const { properties, required } = inputSchema;
  const needed = Array.isArray(required) ? required : [];
  const entries = isRecord(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    entries.map(([name, schema]) => {
      const { type, enum: values, default: fallback, description } = isRecord(schema) ? schema : {};
      const summary: ParameterSummary = {
        type: Array.isArray(values) ? 'enum' : [type].flat().join(' or '),
        required: needed.includes(name),
        ...(fallback !== undefined && { default: fallback }),
        ...(Array.isArray(values) && { values }),
        ...(typeof description === 'string' && { description }),
      };
      return [name, summary];
    }),
  );
}
