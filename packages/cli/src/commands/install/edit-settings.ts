import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { parse as parseToml, stringify } from 'smol-toml';
import { reasonOf } from '../../output/terminal-text.ts';
import { isRecord } from '../../settings/parse-json.ts';
import type { Client } from './clients.ts';
import type { ServerEntry } from './server-entry.ts';

export type EditedSettings =
  /** `before` is the entry that is replaced. `text` is undefined if nothing changes. */
  { ok: true; text: string | undefined; before: unknown } | { ok: false; problem: string };

/** Puts the entry of a server into the settings of a client. Keeps comments, and everything else in the file and in the entry. */
export function editSettings(
  text: string,
  { format, key, name, entry }: Pick<Client, 'format' | 'key'> & { name: string; entry: ServerEntry },
): EditedSettings {
  const read = format === 'json' ? parseJsonc(text) : readToml(text);
  if ('problem' in read) return { ok: false, problem: read.problem };
  const { [key]: servers = {} } = read.document;
  if (!isRecord(servers)) return { ok: false, problem: `${key} is not an object` };
  const { [name]: before } = servers;
  const known = isRecord(before) ? before : undefined;
  const after = { ...known, ...entry, ...(entry.env && { env: { ...Object(known?.env), ...entry.env } }) };
  if (isDeepStrictEqual(known, after)) return { ok: true, text: undefined, before };
  const edited = format === 'json' ? editJson(text, [key, name], after) : editToml(text, [key, name], after);
  // The edit is one of text: look whether it did what was meant, and nothing else.
  const wanted = { ...read.document, [key]: { ...servers, [name]: after } };
  const result = format === 'json' ? parseJsonc(edited) : readToml(edited);
  const isRight = 'document' in result && isDeepStrictEqual(result.document, wanted);
  return isRight ? { ok: true, text: edited, before } : { ok: false, problem: `cannot edit ${key}.${name}` };
}

/** The part of the settings to paste. */
export function settingsText(
  { format, key }: Pick<Client, 'format' | 'key'>,
  name: string,
  entry: ServerEntry,
): string {
  const part = { [key]: { [name]: entry } };
  return format === 'toml' ? tomlText(part) : `${JSON.stringify(part, null, 2)}\n`;
}

type Parsed = { document: Record<string, unknown> } | { problem: string };

function parseJsonc(text: string): Parsed {
  if (text.trim() === '') return { document: {} };
  const errors: ParseError[] = [];
  const document: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    return { problem: `not valid JSON: line ${line}, ${printParseErrorCode(first.error)}` };
  }
  return isRecord(document) ? { document } : { problem: 'not a JSON object' };
}

function editJson(text: string, path: string[], entry: object): string {
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  const edited = applyEdits(text, modify(text, path, entry, { formattingOptions }));
  return edited.endsWith('\n') ? edited : `${edited}${formattingOptions.eol}`;
}

function readToml(text: string): Parsed {
  try {
    // A copy with the prototype of an object, to be compared.
    return { document: structuredClone(parseToml(text)) };
  } catch (error) {
    return { problem: `not valid TOML: ${reasonOf(error).split('\n', 1)[0]}` };
  }
}

/** Puts the table of the entry where an earlier one was, or at the end. Comments before the next table stay. */
function editToml(text: string, path: readonly string[], entry: object): string {
  const [key = '', name = ''] = path;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const before: string[] = [];
  const after: string[] = [];
  let others = before;
  let isOwn = false;
  // Blank lines and comments at the end of a table belong to what follows it.
  let last: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) {
      const parts = header.split('.').map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2'));
      const isNext = parts[0] === key && parts[1] === name;
      if (isOwn && !isNext) others.push(...last);
      isOwn = isNext;
      last = [];
    }
    if (isOwn) {
      others = after;
      last = /^\s*(#|$)/.test(line) ? [...last, line] : [];
    } else others.push(line);
  }
  if (isOwn) after.push(...last);
  const added = tomlText({ [key]: { [name]: entry } }).replaceAll('\n', eol);
  if (others === after) {
    const edited = [...before, added.trimEnd(), ...after].join(eol);
    return edited.endsWith(eol) ? edited : `${edited}${eol}`;
  }
  const kept = before.join(eol).trimEnd();
  return kept === '' ? added : `${kept}${eol}${eol}${added}`;
}

function tomlText(part: object): string {
  // `[mcp_servers]` alone would be a second table of that name in a file that has one.
  return `${stringify(part)
    .replace(/^\[[\w-]+\]\n(?=\[)/, '')
    .trim()}\n`;
}
