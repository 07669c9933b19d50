import type { CallContext } from '../call/call-context.ts';
import type { Finding } from '../schema/finding.ts';
import type { Input } from '../schema/schema.ts';
import { completions } from './prompts.ts';
import { inputName, isAt, readUriArguments, uriTemplate } from './resource-uri.ts';
import { failureText, maxTextLength, type ToolOutcome, tooLarge } from './tool-result.ts';

/** The entry of a resource in `resources/list` (MCP specification, Resource). */
export interface ResourceListing {
  uri: string;
  name: string;
  title: string;
  description?: string;
  mimeType: string;
}

/** The entry of a resource in `resources/templates/list` (MCP specification, ResourceTemplate). */
export interface ResourceTemplateListing extends Omit<ResourceListing, 'uri' | 'mimeType'> {
  uriTemplate: string;
  /** Absent if it depends on the arguments. */
  mimeType?: string;
}

/** MCP specification, TextResourceContents. */
export interface ResourceContents {
  uri: string;
  mimeType: string;
  text: string;
  _meta?: Record<string, unknown>;
}

/** A JSON-RPC error. */
export interface ProtocolFault {
  code: number;
  message: string;
  data?: unknown;
}

/** The result of `resources/read`, or its JSON-RPC error. */
export type ResourceResult = { ok: true; contents: ResourceContents[] } | { ok: false; fault: ProtocolFault };

/** A document or a query of a schema as an MCP resource. */
export interface McpResource {
  /** Its name in the schema. */
  resourceName: string;
  /** Without arguments. */
  uri: string;
  inputs: readonly Input[];
  /** Present if it can be read without arguments: a document, or a query that takes none. */
  listing?: ResourceListing;
  /** Present if it takes arguments. */
  template?: ResourceTemplateListing;
  /** Whether an address belongs to this resource. */
  matches(address: string): boolean;
  /** Reads an address. Its arguments are checked as those of the tool are. Never throws. */
  read(address: string, context?: CallContext): Promise<ResourceResult>;
  /** Values of an argument that begin with the typed text, at most 100; none if any value is allowed. */
  complete(argument: string, typed: string): string[];
}

/** A document or a query, which becomes an MCP resource. */
interface ResourceSource {
  resourceName: string;
  isDocument: boolean;
  /** Of the whole resource; a part of it may have another. */
  mimeType: string;
  description: string;
  inputs: readonly Input[];
  run(args: unknown, context: CallContext): Promise<ToolOutcome>;
}

export function createMcpResource(
  { resourceName, isDocument, mimeType, description, inputs, run }: ResourceSource,
  { uri, name, title }: { uri: string; name: string; title: string },
): McpResource {
  const about = { name, title, ...(description !== '' && { description }) };
  const variables = uriTemplate(uri, inputs);
  return {
    resourceName,
    uri,
    inputs,
    ...((isDocument || inputs.length === 0) && { listing: { uri, ...about, mimeType } }),
    ...(isDocument && { template: { uriTemplate: variables, ...about, title: `${title}: a part of it` } }),
    ...(!isDocument && inputs.length > 0 && { template: { uriTemplate: variables, ...about, mimeType } }),
    matches: (address) => isAt(uri, address),
    async read(address, context = {}) {
      const outcome = await run(readUriArguments(address, inputs), context);
      return resultOf(outcome, { uri: address, isDocument, mimeType });
    },
    complete: (argument, typed) => completions(valuesOf(inputs, argument), typed),
  };
}

function resultOf(
  { status, findings, data, dataAsString }: ToolOutcome,
  { uri, isDocument, mimeType }: { uri: string; isDocument: boolean; mimeType: string },
): ResourceResult {
  if (!status) return { ok: false, fault: faultOf(findings) };
  const isText = isDocument && typeof data === 'string';
  const text = isText ? data : (dataAsString ?? 'null');
  if (text.length > maxTextLength) return { ok: false, fault: { code: internalError, message: tooLarge(text.length) } };
  const warnings = findings.map(({ message }) => message);
  const _meta = { 'schemakit/warnings': warnings };
  const contents = { uri, mimeType: isText ? mimeType : 'application/json', text };
  return { ok: true, contents: [warnings.length > 0 ? { ...contents, _meta } : contents] };
}

// https://www.jsonrpc.org/specification#error_object
const invalidParams = -32602;
const internalError = -32603;

/** The data has no `uri`: clients treat -32602 with only a `uri` in its data as "not found". */
function faultOf(findings: readonly Finding[]): ProtocolFault {
  const isCallers =
    findings.length > 0 && findings.every(({ code }) => /^(?:INP|DOCUMENT_PART_|SQL_REFUSED)/.test(code));
  return {
    code: isCallers ? invalidParams : internalError,
    message: failureText(findings),
    data: {
      findings: findings.map(({ code, message, hint }) => ({ code, message, ...(hint !== undefined && { hint }) })),
    },
  };
}

/** The error for an unknown address (MCP specification, 2026-07-28, resources: -32602 with the address). */
export function resourceNotFound(uri: string): ProtocolFault {
  return { code: invalidParams, message: `Resource ${uri} not found`, data: { uri } };
}

function valuesOf(inputs: readonly Input[], argument: string): string[] {
  const z = inputs.find(({ name }) => name === inputName(argument))?.z;
  if (z?.primitive === 'boolean') return ['true', 'false'];
  return (z?.members ?? []).filter((member) => typeof member === 'string');
}
