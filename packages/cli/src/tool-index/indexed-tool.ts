import type { Finding } from '@schemakit/core';
import type { ParameterSummary } from '../tools/describe-parameters.ts';

/** What a schema offers: something to call, or a text for models. */
export type EntryType = 'tool' | 'resource' | 'skill' | 'prompt';

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
