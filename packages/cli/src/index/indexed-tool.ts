import type { Finding, PromptListing } from '@schemakit/core';
import type { ServedResource, ServedTool } from '@schemakit/server';
import { isRecord } from '../settings/parse-json.ts';

/** What a schema offers: something to call, or a text for models. */
export type EntryType = 'tool' | 'resource' | 'skill' | 'prompt';

/** What a caller gives for a parameter. */
export interface ParameterSummary {
  type: string;
  required: boolean;
  default?: unknown;
  values?: readonly unknown[];
  description?: string;
}

/** A tool as lists and searches show it; also a query of a database, a document, a skill or a prompt. */
export interface IndexedTool {
  type: EntryType;
  /** On the command line: `<namespace>_<toolName>`; the reference, where several tools would have that name. */
  name: string;
  /** On MCP: `<namespace>__<toolName>`. A server with several tools of that name numbers them. */
  mcpName: string;
  /** `<source>/<file>.mjs::<type>::<toolName>`: names this one and no other. */
  reference: string;
  namespace: string;
  /** For a query of a database `<resource>_<query>`. */
  toolName: string;
  /** What groups name in references of its type: for the query of a database the resource, otherwise `toolName`. */
  part: string;
  description: string;
  /** Those of the schema. */
  tags: readonly string[];
  /** By the names under which callers give them. */
  parameters: Readonly<Record<string, ParameterSummary>>;
  /** Secrets without which a call fails. */
  requiredServerParams: readonly string[];
  schemaName: string;
  source: string;
  /** `<source>/<file>.mjs`, with forward slashes. */
  file: string;
  /** Absolute path of the file. */
  path: string;
}

/** A schema file of a source, whether it could be read or not. */
export interface IndexedSchema {
  source: string;
  /** `<source>/<file>.mjs`, with forward slashes. */
  file: string;
  /** Absolute path of the file. */
  path: string;
  /** False where the schema has errors: its tools are then not in the index. */
  status: boolean;
  /** Its errors. */
  findings: readonly Finding[];
  /** Empty where the file does not say. */
  namespace: string;
  name: string;
  description: string;
  version: string;
  tags: readonly string[];
  requiredServerParams: readonly string[];
  /** What it offers, in its order. */
  tools: readonly { type: EntryType; toolName: string }[];
}

/** A schema file, and what it offers. */
export interface IndexedFile {
  schema: IndexedSchema;
  /** Tools, queries, documents, skills and prompts. */
  tools: readonly IndexedTool[];
}

/** All that the index knows of a schema file; one line of its own in the file of the index, read when it is needed. */
export interface FileDetails {
  schema: Omit<IndexedSchema, 'source' | 'file' | 'path' | 'tools'>;
  tools: readonly ToolDetails[];
  /** Words by which the shared lists are known that its tools take values from, by the name of the list. */
  lists: Readonly<Record<string, readonly string[]>>;
}

export interface ToolDetails extends Pick<ServedTool, 'requiredServerParams' | 'isBinary'> {
  /** As `tools/list` has it. Absent for a skill or a prompt. */
  listing?: ServedTool['listing'];
  /** Of a skill or a prompt; that of a tool is in its listing. */
  description?: string;
  /** Of a skill or a prompt; those of a tool are in its listing. */
  parameters?: Readonly<Record<string, ParameterSummary>>;
  /** For a query or a document. */
  resource?: Pick<ServedResource, 'resourceName' | 'uri' | 'listing' | 'template'>;
  /** Names of the shared lists that it takes values from. */
  lists?: readonly string[];
}

/** What finds an entry without its details. */
export interface ToolNames extends Pick<IndexedTool, 'type' | 'toolName' | 'part'> {
  /** `<namespace>_<toolName>`. */
  cli: string;
  /** The name on MCP; in the index of a server, that among all its tools. */
  mcp: string;
  /** The name that it would have on MCP alone, where that is another. */
  ownMcp?: string;
  aliases?: readonly string[];
}

/** A prompt as servers list it. */
export interface IndexedPrompt {
  listing: PromptListing;
  namespace: string;
  /** Absolute path of the file. */
  path: string;
  type: EntryType;
  name: string;
}

/** The parameters of a tool, from how `tools/list` has it. */
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
