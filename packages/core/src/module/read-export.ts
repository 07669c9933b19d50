import type { AnyNode } from 'acorn';
import { childPath, type Finding } from '../format/finding.ts';
import { schemaFinding } from '../format/finding-codes.ts';
import { keptStatements } from './kept-statements.ts';
import { extractProgram, type ModuleParts } from './module-program.ts';
import type { ExportTarget } from './module-syntax.ts';
import type { LocateOffset } from './module-text.ts';
import { type JsonLike, type LiteralValue, NotData, NotReadable } from './read-literal.ts';
import { isFunction } from './syntax-children.ts';

/** What can be said of an exported value without running the module. */
export type ExportReading =
  | { status: 'read'; value: JsonLike }
  | { status: 'absent' }
  | { status: 'function' }
  /** `reason` says why the text does not tell, `source` writes a script that binds the value. Line and column are 1-based. */
  | { status: 'needs-evaluation'; reason: string; line: number; column: number; source: () => string }
  /** Running the module would not give plain data either. */
  | { status: 'invalid'; findings: Finding[] };

export interface ExportContext extends ModuleParts {
  file: string;
  position: LocateOffset;
}

/** Reads an exported value from the syntax tree. */
export function readExport(name: string, target: ExportTarget, context: ExportContext): ExportReading {
  const { file, position } = context;
  const { start } = target.node;
  const read = readTarget(name, target, context);
  if (!read.ok) {
    const { reason, offset } = read;
    return {
      status: 'needs-evaluation',
      reason,
      ...position(offset),
      source: () => extractProgram(context, name, target).source(),
    };
  }
  const { value } = read;
  if (value instanceof NotData && isFunction(value.node)) return { status: 'function' };
  const refused = findNotData(value);
  if (refused === undefined) return { status: 'read', value: value as JsonLike };
  const path = refused.path.reduce<string>(childPath, name);
  const finding = schemaFinding('VAL006', path, `${name} must be plain data: it holds ${refused.what}`, {
    hint: 'Write it as literals, constants and templates; code belongs to handlers.',
  });
  return { status: 'invalid', findings: [{ ...finding, file, ...position(refused.node?.start ?? start) }] };
}

type TargetReading = { ok: true; value: LiteralValue } | { ok: false; reason: string; offset: number };

/**
 * Reads what an export stands for. A statement that uses the value, or what the value is made of, and does more than declare
 * functions and readable constants, could change it: then only running the module tells.
 */
export function readTarget(
  name: string,
  target: ExportTarget,
  { syntax, reader }: Pick<ExportContext, 'syntax' | 'reader'>,
): TargetReading {
  const kept = keptStatements(syntax, target, reader);
  const unread = (reason: string, offset: number): TargetReading => ({ ok: false, reason, offset });
  const { start } = target.node;
  if (target.kind === 'foreign') return unread(`${name} comes from another module`, start);
  const binding = target.kind === 'name' ? syntax.moduleScope.bindings?.get(target.local) : undefined;
  try {
    const value = binding ? reader.readBinding(binding) : reader.readExpression(target.node);
    const changer = syntax.program.body.find((statement, index) => kept.has(index) && !reader.isInert(statement));
    return changer ? unread(`code of the module may change ${name}`, changer.start) : { ok: true, value };
  } catch (error) {
    if (error instanceof NotReadable) return unread(error.message, error.offset);
    return unread('it is too deeply nested to be read', start);
  }
}

const maxValueDepth = 150;
/** How many parts a value may have, counting what is shared as often as it is used. Keeps aliases from growing without end. */
const maxParts = 400_000;

interface Refused {
  what: string;
  path: readonly (string | number)[];
  /** Where a piece of code stands. */
  node: AnyNode | undefined;
}

/**
 * Finds the first part of a value that JSON cannot carry. Shared parts count each time, but are looked at once, so that this
 * takes time by memory and not by the size that the value would have as text.
 */
export function findNotData(value: LiteralValue): Refused | undefined {
  const known = new Map<object, number>();
  /** Innermost key first. */
  const path: (string | number)[] = [];
  let refused: { what: string; node: AnyNode | undefined } | undefined;

  function refuse(what: string, node?: AnyNode): number {
    refused = { what, node };
    return 0;
  }

  function visit(part: LiteralValue, depth: number): number {
    if (typeof part === 'string') {
      return part.isWellFormed() ? 1 + part.length / 64 : refuse('half of a surrogate pair');
    }
    if (typeof part !== 'object' || part === null) return 1;
    if (part instanceof NotData) return refuse(part.what, part.node);
    const earlier = known.get(part);
    if (earlier !== undefined) return earlier;
    if (depth > maxValueDepth) return refuse(`more than ${maxValueDepth} levels`);
    const parts = Array.isArray(part) ? visitItems(part, depth) : visitProperties(part, depth);
    if (refused !== undefined) return 0;
    if (parts > maxParts) refuse(`more than ${maxParts} parts`);
    known.set(part, parts);
    return parts;
  }

  function visitItems(items: readonly LiteralValue[], depth: number): number {
    let parts = 1;
    for (let index = 0; index < items.length && refused === undefined; index += 1) {
      parts += visit(items[index], depth + 1);
      if (refused !== undefined) path.push(index);
    }
    return parts;
  }

  function visitProperties(object: { [key: string]: LiteralValue }, depth: number): number {
    let parts = 1;
    for (const key of Object.keys(object)) {
      parts += key.isWellFormed() ? visit(object[key], depth + 1) : refuse('half of a surrogate pair in a key');
      if (refused === undefined) continue;
      path.push(key);
      break;
    }
    return parts;
  }

  visit(value, 0);
  return refused && { ...refused, path: path.reverse() };
}
