import { childPath, type Finding } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import { findNotPlain } from '../schema/json.ts';
import { extractProgram, type ModuleParts, reachableStatements } from './module-program.ts';
import type { ExportTarget } from './module-syntax.ts';
import type { LocateOffset } from './module-text.ts';
import { type JsonLike, type LiteralValue, NotData, NotReadable } from './read-literal.ts';
import { isFunction } from './syntax-children.ts';

/** An exported value, as far as the syntax tree gives it. */
export type ExportResult =
  | { status: 'read'; value: JsonLike }
  | { status: 'absent' }
  | { status: 'function' }
  /** `reason` says why it has to be evaluated, `source` writes a script that binds the value. Line and column are 1-based. */
  | { status: 'needs-evaluation'; reason: string; line: number; column: number; source: () => string }
  /** Not plain data; running the module would not change that. */
  | { status: 'invalid'; findings: Finding[] };

export interface ExportContext extends ModuleParts {
  file: string;
  position: LocateOffset;
}

/** Reads an exported value from the syntax tree. */
export function readExport(name: string, target: ExportTarget, context: ExportContext): ExportResult {
  const { file, position } = context;
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
  const refused = findNotPlain(value);
  if (refused === undefined) return { status: 'read', value: value as JsonLike };
  const part = refused.keys.reduce<unknown>((outer, key) => Object(outer)[key], value);
  const { what, node } = part instanceof NotData ? part : { ...refused, node: target.node };
  const path = refused.keys.reduce<string>(childPath, name);
  const finding = ruleFinding(
    'VAL006',
    path,
    `${name} must be plain data: it contains ${what}`,
    'Write it as literals, constants and templates; code belongs to handlers.',
  );
  return { status: 'invalid', findings: [{ ...finding, file, ...position(node.start) }] };
}

type TargetResult = { ok: true; value: LiteralValue } | { ok: false; reason: string; offset: number };

/** Reads the value of an export. A statement that runs code and uses the value could change it: then the module must run. */
export function readTarget(
  name: string,
  target: ExportTarget,
  { syntax, reader }: Pick<ExportContext, 'syntax' | 'reader'>,
): TargetResult {
  const reachable = reachableStatements(syntax, target, reader);
  const unread = (reason: string, offset: number): TargetResult => ({ ok: false, reason, offset });
  const { start } = target.node;
  if (target.kind === 'foreign') return unread(`${name} comes from another module`, start);
  const binding = target.kind === 'name' ? syntax.moduleScope.bindings?.get(target.local) : undefined;
  try {
    const value = binding ? reader.readBinding(binding) : reader.readExpression(target.node);
    const changer = syntax.program.body.find((statement, index) => reachable.has(index) && !reader.isInert(statement));
    return changer ? unread(`code of the module may change ${name}`, changer.start) : { ok: true, value };
  } catch (error) {
    if (error instanceof NotReadable) return unread(error.message, error.offset);
    return unread('it is too deeply nested to be read', start);
  }
}
