import { statSync } from 'node:fs';

/** What a user wants to call: a tool of a file that they name, or one that is known by name. */
export type Target =
  | { kind: 'file'; file: string; toolName: string }
  | { kind: 'name'; name: string }
  | { kind: 'wrong'; problem: string; fix: string };

/**
 * Tells files from names. A file that is there is meant, and so is what is written as a path; `<source>/<file>.mjs` is the
 * reference of a file that is known.
 */
export function readTarget(text: string): Target {
  const { file, toolName } = splitReference(text);
  if (!isPath(file)) return text.trim() === '' ? wrong(text) : { kind: 'name', name: text };
  return toolName === undefined || toolName === '' ? wrong(text) : { kind: 'file', file, toolName };
}

/** Whether a text names a file on this machine. */
function isPath(text: string): boolean {
  const isWritten = /^(\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\])/.test(text) || /^[^/\\]+\.mjs$/.test(text);
  return isWritten || (text.includes('.mjs') && statSync(text, { throwIfNoEntry: false }) !== undefined);
}

/** `<file>::tool::<name>` or `<file>::resource::<name>`, or `<file>::<name>` as format 2 wrote it. A name may hold `::` itself. */
function splitReference(text: string): { file: string; toolName?: string } {
  const marker = /::(?:tool|resource)::/.exec(text) ?? /::/.exec(text);
  if (marker === null || marker.index === 0) return { file: text };
  return { file: text.slice(0, marker.index), toolName: text.slice(marker.index + marker[0].length) };
}

function wrong(text: string): Target {
  return {
    kind: 'wrong',
    problem: `"${text}" is not a tool reference.`,
    fix: 'Write <file>.mjs::tool::<name>, or the name of a tool that schemakit list shows.',
  };
}
