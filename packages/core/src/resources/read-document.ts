import { readFile, stat } from 'node:fs/promises';
import type { Finding } from '../schema/finding.ts';
import { createInputCheck } from '../schema/input/check-input.ts';
import type { Input, MarkdownResource, WebResource } from '../schema/schema.ts';
import { type DocumentPart, documentLines, documentSection, type Passage, searchDocument } from './document-parts.ts';
import { type LocateOptions, locateFile } from './locate-file.ts';
import { resourceCallFinding } from './resource-finding.ts';

/** A reading of a document. */
export interface DocumentCall extends LocateOptions {
  resource: MarkdownResource | WebResource;
  /** `section`, `lines` or `search`; none of them for the whole text. */
  params?: unknown;
  /** Gets a document from the web. The caller brings it, with its guards and limits. */
  fetchText?: ((url: string) => Promise<string>) | undefined;
  /** Largest file, in bytes. Default 5 MiB. */
  maxBytes?: number;
}

/** What came of it: text, or the passages of a search; null unless it succeeded. */
export interface DocumentResult {
  status: boolean;
  findings: Finding[];
  data: string | Passage[] | null;
}

const anyText = { primitive: 'string', optional: true, min: 1 } as const;

/** What callers may pass to a document. */
export const documentInputs: readonly Input[] = [
  {
    name: 'section',
    aliases: [],
    z: anyText,
    description:
      "Title of a heading: gives the heading and the text below it. Of several with one title, 'Title (2)' is the second.",
  },
  { name: 'lines', aliases: [], z: anyText, description: "Range of lines 'from-to', counted from 1, such as '10-25'." },
  { name: 'search', aliases: [], z: anyText, description: 'Text to look for: gives the lines around each place.' },
];
const checkInput = createInputCheck(documentInputs);

/**
 * Reads a document, or a part of it: a `section` by its heading, `lines` as `from-to`, or the passages around each place where
 * `search` occurs. Never throws.
 *
 * @example
 * const { data } = await readDocument({ resource, params: { section: 'Limits' }, schemaFile });
 */
export async function readDocument(call: DocumentCall): Promise<DocumentResult> {
  const { name } = call.resource;
  const checked = checkInput(call.params);
  if (!checked.ok) return failed(...checked.findings);
  const given = Object.entries(checked.values);
  if (given.length > 1) {
    const message = `Only one of ${given.map(([key]) => key).join(', ')} can be asked for at a time`;
    return failed(resourceCallFinding('DOCUMENT_PART_INVALID', name, message, 'Leave out the others.'));
  }
  const read = await readText(call);
  if (!read.ok) return failed(read.finding);
  const [part, value] = given[0] ?? [];
  const wanted = String(value);
  if (part === 'search') return { status: true, findings: [], data: searchDocument(read.text, wanted) };
  if (part === 'section') return partResult(documentSection(read.text, wanted), name);
  if (part === 'lines') return partResult(documentLines(read.text, wanted), name);
  return { status: true, findings: [], data: read.text };
}

type TextReading = { ok: true; text: string } | { ok: false; finding: Finding };

async function readText({
  resource,
  fetchText,
  maxBytes = 5 * 1024 * 1024,
  ...places
}: DocumentCall): Promise<TextReading> {
  const unreadable = (message: string, hint?: string): TextReading => ({
    ok: false,
    finding: resourceCallFinding('DOCUMENT_UNREADABLE', resource.name, message, hint),
  });
  if (resource.kind === 'http') {
    if (fetchText === undefined) return unreadable(`Nothing was given to read ${resource.url} with`);
    try {
      return { ok: true, text: await fetchText(resource.url) };
    } catch (error) {
      return unreadable(`Failed to read ${resource.url}: ${messageOf(error)}`, hintOf(error));
    }
  }
  const located = await locateFile(resource, places);
  if (!located.ok) return located;
  try {
    const text = await readUpTo(located.file, maxBytes);
    const hint = 'Cut the document into several.';
    return text === undefined
      ? unreadable(`${located.file} is larger than ${maxBytes} bytes`, hint)
      : { ok: true, text };
  } catch (error) {
    return unreadable(`Failed to read ${located.file}: ${messageOf(error)}`);
  }
}

/** The text of a file without a byte order mark; undefined if it is larger. */
async function readUpTo(file: string, maxBytes: number): Promise<string | undefined> {
  const { size } = await stat(file);
  return size > maxBytes ? undefined : new TextDecoder().decode(await readFile(file));
}

function partResult(part: DocumentPart<string>, name: string): DocumentResult {
  if (part.ok) return { status: true, findings: [], data: part.part };
  const code = part.isUnknown ? 'DOCUMENT_PART_UNKNOWN' : 'DOCUMENT_PART_INVALID';
  return failed(resourceCallFinding(code, name, `In document ${name}, ${part.problem}`, part.hint));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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

/** The media type of a document by the extension of its file or its URL; `text/plain` where that says nothing. */
export function documentMediaType(resource: MarkdownResource | WebResource): string {
  const path = resource.kind === 'http' ? new URL(resource.url).pathname : resource.file.path;
  const [, extension = ''] = /\.([a-z]+)$/i.exec(path) ?? [];
  return byExtension[extension.toLowerCase()] ?? 'text/plain';
}
