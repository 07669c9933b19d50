import { readFile, stat } from 'node:fs/promises';
import { type Finding, messageOf } from '../schema/finding.ts';
import { createInputCheck } from '../schema/input/check-input.ts';
import type { Input, MarkdownResource, WebResource } from '../schema/schema.ts';
import { type DocumentPart, documentLines, documentSection, type Passage, searchDocument } from './document-parts.ts';
import { type LocateOptions, locateFile } from './locate-file.ts';
import { resourceCallFinding } from './resource-finding.ts';

export interface DocumentCall extends LocateOptions {
  resource: MarkdownResource | WebResource;
  /** `section`, `lines` or `search`; without them, the whole text. */
  params?: unknown;
  /** Fetches a document from the web, with the caller's checks and limits. */
  fetchText?: ((url: string) => Promise<string>) | undefined;
  /** Largest file, in bytes. Default 5 MiB. */
  maxBytes?: number;
}

export interface DocumentResult {
  status: boolean;
  findings: Finding[];
  /** Text, or the passages of a search; null unless the call succeeded. */
  data: string | Passage[] | null;
}

const anyText = { primitive: 'string', optional: true, min: 1 } as const;

export const documentInputs: readonly Input[] = [
  {
    name: 'section',
    aliases: [],
    z: anyText,
    description:
      "Title of a heading: returns the heading and the text below it. Of several with the same title, 'Title (2)' is the second.",
  },
  { name: 'lines', aliases: [], z: anyText, description: "Range of lines 'from-to', counted from 1, such as '10-25'." },
  { name: 'search', aliases: [], z: anyText, description: 'Text to search for: returns the lines around each match.' },
];
const checkInput = createInputCheck(documentInputs);

/**
 * Reads a document, or a part of it: a `section` by its heading, `lines` as `from-to`, or the passages around each match of
 * `search`. Never throws.
 */
export async function readDocument(call: DocumentCall): Promise<DocumentResult> {
  const { name } = call.resource;
  const checked = checkInput(call.params);
  if (!checked.ok) return failed(...checked.findings);
  const given = Object.entries(checked.values);
  if (given.length > 1) {
    const message = `Only one of ${given.map(([key]) => key).join(', ')} can be requested at a time`;
    return failed(resourceCallFinding('DOCUMENT_PART_INVALID', name, message, 'Leave out the others.'));
  }
  const read = await readText(call);
  if (!read.ok) return failed(read.finding);
  const [part, value] = given[0] ?? [];
  const argument = String(value);
  if (part === 'search') return { status: true, findings: [], data: searchDocument(read.text, argument) };
  if (part === 'section') return partResult(documentSection(read.text, argument), name);
  if (part === 'lines') return partResult(documentLines(read.text, argument), name);
  return { status: true, findings: [], data: read.text };
}

type TextResult = { ok: true; text: string } | { ok: false; finding: Finding };

async function readText({
  resource,
  fetchText,
  maxBytes = 5 * 1024 * 1024,
  ...locate
}: DocumentCall): Promise<TextResult> {
  const unreadable = (message: string, hint?: string): TextResult => ({
    ok: false,
    finding: resourceCallFinding('DOCUMENT_UNREADABLE', resource.name, message, hint),
  });
  if (resource.kind === 'http') {
    if (fetchText === undefined) return unreadable(`No way to fetch ${resource.url} was given`);
    try {
      return { ok: true, text: await fetchText(resource.url) };
    } catch (error) {
      return unreadable(`Failed to read ${resource.url}: ${messageOf(error)}`, hintOf(error));
    }
  }
  const located = await locateFile(resource, locate);
  if (!located.ok) return located;
  try {
    const { size } = await stat(located.file);
    if (size > maxBytes) return unreadable(`${located.file} is larger than ${maxBytes} bytes`, 'Split the document.');
    return { ok: true, text: new TextDecoder().decode(await readFile(located.file)) };
  } catch (error) {
    return unreadable(`Failed to read ${located.file}: ${messageOf(error)}`);
  }
}

function partResult(part: DocumentPart<string>, name: string): DocumentResult {
  if (part.ok) return { status: true, findings: [], data: part.part };
  const code = part.isUnknown ? 'DOCUMENT_PART_UNKNOWN' : 'DOCUMENT_PART_INVALID';
  return failed(resourceCallFinding(code, name, `In document ${name}, ${part.problem}`, part.hint));
}

function hintOf(error: unknown): string | undefined {
  const { hint } = error as { hint?: unknown };
  return typeof hint === 'string' ? hint : undefined;
}

function failed(...findings: Finding[]): DocumentResult {
  return { status: false, findings, data: null };
}

const byExtension: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  htm: 'text/html',
  html: 'text/html',
  json: 'application/json',
};

/** The media type by the extension of the file or URL; `text/plain` if it is unknown. */
export function documentMediaType(resource: MarkdownResource | WebResource): string {
  const path = resource.kind === 'http' ? new URL(resource.url).pathname : resource.file.path;
  const [, extension = ''] = /\.([a-z]+)$/i.exec(path) ?? [];
  return byExtension[extension.toLowerCase()] ?? 'text/plain';
}
