import { statSync } from 'node:fs';

/** A file that the user named, and a part of it. */
export interface FilePart {
  file: string;
  /** `tool`, `resource`, `skill` or `prompt`. */
  type: string;
  /** Empty for the whole file. */
  name: string;
}

/**
 * Reads the path of a file, optionally with `::<type>::<name>` or `::<name>`. Files are existing paths and what looks like a path;
 * undefined for other text, such as `<source>/<file>.mjs`, the reference of an indexed file. A name may contain `::`.
 */
export function readFilePart(text: string): FilePart | undefined {
  const marker = /::(?:(tool|resource|skill|prompt)::)?/.exec(text);
  const file = marker === null ? text : text.slice(0, marker.index);
  if (!isPath(file)) return undefined;
  const name = marker === null ? '' : text.slice(marker.index + marker[0].length);
  return { file, type: marker?.[1] ?? 'tool', name };
}

function isPath(text: string): boolean {
  if (/^(\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\])/.test(text) || /^[^/\\]+\.(mjs|js|cjs|json)$/.test(text)) return true;
  return /\.\w+$/.test(text) && statSync(text, { throwIfNoEntry: false })?.isFile() === true;
}
