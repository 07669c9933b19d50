import type { CallContext } from '../call/call-context.ts';
import type { Finding } from '../schema/finding.ts';
import type { Input } from '../schema/schema.ts';
import { completions } from './completions.ts';
import { inputName, isAt, readUriArguments, uriTemplate } from './resource-uri.ts';
import { failureText, maxTextLength, type ToolOutcome, tooLarge } from './tool-result.ts';

/** How a resource appears in `resources/list` (MCP specification, Resource). */
export interface ResourceListing {
  uri: string;
  name: string;
  title: string;
  description?: string;
  mimeType: string;
}

/** How a resource appears in `resources/templates/list` (MCP specification, ResourceTemplate). */
export interface ResourceTemplateListing extends Omit<ResourceListing, 'uri' | 'mimeType'> {
  uriTemplate: string;
  /** Absent where it depends on the arguments. */
  mimeType?: string;
}

/** MCP specification, TextResourceContents. */
export interface ResourceContents {
  uri: string;
  mimeType: string;
  text: string;
  _meta?: Record<string, unknown>;
}

/** A failure as JSON-RPC carries it. */
export interface ProtocolFault {
  code: number;
  message: string;
  data?: unknown;
}

/** What `resources/read` answers, or the fault that it answers with. */
export type ResourceReading = { ok: true; contents: ResourceContents[] } | { ok: false; fault: ProtocolFault };

/** A document or a query of a schema as an MCP server offers it at an address. */
export interface ExposedResource {
  /** The resource in its schema. */
  resourceName: string;
  /** The address without arguments. */
  uri: string;
  inputs: readonly Input[];
  /** Present where it can be read without arguments: a document, or a query that takes none. */
  listing?: ResourceListing;
  /** Present where it takes arguments. */
  template?: ResourceTemplateListing;
  /** Tells whether an address is one of this resource. */
  matches(address: string): boolean;
  /** Reads what is at an address. Arguments in it are checked as those of the tool are. Never throws. */
  read(address: string, context?: CallContext): Promise<ResourceReading>;
  /** Values of an argument that begin with what a user has typed, at most 100; none where any value will do. */
  complete(argument: string, typed: string): string[];
}

/** What a resource is made of. */
export interface ResourceSource {
  resourceName: string;
  isDocument: boolean;
  /** Of what is there when no argument asks for a part of it. */
  mimeType: string;
  description: string;
  inputs: readonly Input[];
  run(args: unknown, context: CallContext): Promise<ToolOutcome>;
}

/** Puts a document or a query at an address. */
export function exposeResource(
  { resourceName, isDocument, mimeType, description, inputs, run }: ResourceSource,
  { uri, name, title }: { uri: string; name: string; title: string },
): ExposedResource {
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
      return readingOf(outcome, { uri: address, isDocument, mimeType });
    },
    complete: (argument, typed) => completions(valuesOf(inputs, argument), typed),
  };
}

function readingOf(
  { status, findings, data, dataAsString }: ToolOutcome,
  { uri, isDocument, mimeType }: { uri: string; isDocument: boolean; mimeType: string },
): ResourceReading {
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

/** Clients take -32602 with nothing but a `uri` in its data for a resource that does not exist, so the data has none here. */
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

/** The fault for an address at which nothing is (MCP specification, 2026-07-28, resources: -32602 with the address). */
export function nothingAt(uri: string): ProtocolFault {
  return { code: invalidParams, message: `Resource ${uri} not found`, data: { uri } };
}

function valuesOf(inputs: readonly Input[], argument: string): string[] {
  const z = inputs.find(({ name }) => name === inputName(argument))?.z;
  if (z?.primitive === 'boolean') return ['true', 'false'];
  return (z?.members ?? []).filter((member) => typeof member === 'string');
}
