import type { AnyNode } from 'acorn';
import { constantText, type ImportSite, type MemberSite, type ModuleSyntax, type Reference } from './module-syntax.ts';
import type { ScanCode } from './scan-rules.ts';
import { keyName } from './syntax-children.ts';

const languageNames = `
  AggregateError Array ArrayBuffer AsyncIterator BigInt BigInt64Array BigUint64Array Boolean DataView Date Error
  EvalError FinalizationRegistry Float16Array Float32Array Float64Array Infinity Int16Array Int32Array Int8Array Intl
  Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol
  SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet
  decodeURI decodeURIComponent encodeURI encodeURIComponent escape isFinite isNaN parseFloat parseInt undefined
  unescape`;

const hostNames = `
  AbortController AbortSignal Blob Buffer DOMException Event EventTarget File FormData Headers Request Response
  TextDecoder TextEncoder URL URLSearchParams atob btoa clearInterval clearTimeout console crypto fetch performance
  queueMicrotask structuredClone`;

/** Globals that handlers may use. */
const allowedNames: ReadonlySet<string> = words(`${languageNames} ${hostNames}`);

/** Forbidden globals by the code of their rule. */
const namesByCode: Readonly<Partial<Record<ScanCode, string>>> = {
  SEC002: 'require',
  SEC003: 'eval',
  SEC004: 'Function',
  SEC005: 'fs',
  SEC006: 'process',
  SEC007: 'child_process',
  SEC008: 'global globalThis self window document',
  SEC009: '__dirname __filename',
  SEC012: 'exports module',
  SEC018: '__proto__',
  SEC019: 'Atomics SharedArrayBuffer WebAssembly',
  SEC021:
    'BroadcastChannel EventSource MessageChannel SharedWorker WebSocket Worker XMLHttpRequest ' +
    'dgram dns http https net tls worker_threads',
  SEC025: 'Bun Deno os vm',
};

const forbiddenNames = new Map(
  Object.entries(namesByCode).flatMap(([code, names]) => names.split(' ').map((name) => [name, code as ScanCode])),
);

/** Timers work, but waiting uses up the deadline of the call. */
const timerNames: ReadonlySet<string> = new Set(['setImmediate', 'setInterval', 'setTimeout']);

/** Members that lead to constructors, prototypes and the runtime. */
export const forbiddenMembers: ReadonlySet<string> = words(`
  __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ callee caller constructor
  getBuiltinModule mainModule prepareStackTrace prototype`);

/** Built-in modules that only compute; handlers may import them. */
const harmlessModules: ReadonlySet<string> = words(`
  buffer crypto path querystring stream url util zlib`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

export interface ScanHit {
  code: ScanCode;
  message: string;
  offset: number;
}

/** `import()` of an allowed library. */
export interface LibraryImport {
  node: AnyNode;
  /** Index in `program.body`. */
  statement: number;
  /** Without `node:`. */
  library: string;
}

export interface Scan {
  hits: readonly ScanHit[];
  /** Replaced by the injected library when the handlers are extracted. */
  libraryImports: readonly LibraryImport[];
}

/**
 * The security scan (docs/security.md). It works on names and scopes, so words in strings, comments and URLs are never hits.
 * It guides authors; the sandbox is what protects.
 *
 * @param libraries - Names that handlers may pass to `import()`, besides harmless built-in modules.
 */
export function scan(syntax: ModuleSyntax, libraries: ReadonlySet<string>): Scan {
  const hits: ScanHit[] = [];
  const libraryImports: LibraryImport[] = [];
  const hit = (code: ScanCode, node: AnyNode, message: string): void => {
    hits.push({ code, message, offset: node.start });
  };

  for (const node of syntax.program.body) {
    if (node.type === 'ImportDeclaration') hit('SEC001', node, `import of ${node.source.raw} is not allowed`);
    else if (node.type === 'ExportAllDeclaration' || (node.type === 'ExportNamedDeclaration' && node.source)) {
      hit('SEC001', node, `export from ${node.source?.raw} is not allowed`);
    }
  }
  for (const reference of syntax.references) if (reference.binding === undefined) scanName(reference, hit);
  for (const site of syntax.members) scanMember(site, hit);
  for (const node of syntax.metaProperties) hit('SEC016', node, 'import.meta is not allowed');
  for (const site of syntax.imports) {
    const library = scanImport(site, syntax, { libraries, hit });
    if (library !== undefined) libraryImports.push({ node: site.node, statement: site.statement, library });
  }
  return { hits: hits.sort((a, b) => a.offset - b.offset), libraryImports };
}

type Hit = (code: ScanCode, node: AnyNode, message: string) => void;

/** Returns the name of an allowed library. */
function scanImport(
  { node, within }: ImportSite,
  { moduleScope }: ModuleSyntax,
  { libraries, hit }: { libraries: ReadonlySet<string>; hit: Hit },
): string | undefined {
  const { source, options } = node;
  const isConstant =
    source.type === 'Literal' || (source.type === 'TemplateLiteral' && source.expressions.length === 0);
  const name = isConstant ? constantText(source, moduleScope) : undefined;
  if (name === undefined || options || within === undefined) {
    const what = name === undefined ? 'a computed name is not allowed' : `${name} is not allowed here`;
    hit('SEC014', node, `import() of ${what}`);
    return undefined;
  }
  const library = name.replace(/^node:/, '');
  if (harmlessModules.has(library) || libraries.has(library)) {
    hit('SEC015', node, `import() of ${name} is replaced by the injected library`);
    return library;
  }
  if (/^fs(\/|$)/.test(library)) hit('SEC005', node, `import() of ${name} is not allowed`);
  else if (library === 'child_process') hit('SEC007', node, `import() of ${name} is not allowed`);
  else hit('SEC013', node, `Library '${library}' is not on the allowlist`);
  return undefined;
}

function scanName({ node, parent, scope }: Reference, hit: Hit): void {
  const { name } = node;
  if (allowedNames.has(name)) return;
  if (name === 'arguments' && scope.hasArguments) return;
  // `typeof` neither fails nor gives access.
  if (parent.type === 'UnaryExpression' && parent.operator === 'typeof') return;
  const called = parent.type === 'CallExpression' && parent.callee === node;
  const code = forbiddenNames.get(name);
  if (code !== undefined) {
    const isConstructed = parent.type === 'NewExpression' && parent.callee === node;
    hit(
      name === 'Function' && isConstructed ? 'SEC010' : code,
      node,
      `${isConstructed ? 'new ' : ''}${name}${called || isConstructed ? '()' : ''} is not allowed`,
    );
  } else if (timerNames.has(name)) hit('SEC011', node, `${name} uses up the deadline of the call`);
  else hit('SEC022', node, `${name} is not declared`);
}

function scanMember(site: MemberSite, hit: Hit): void {
  const name = memberName(site);
  if (name === undefined || !forbiddenMembers.has(name)) return;
  if (name === '__proto__') hit('SEC018', site.key, '__proto__ is not allowed');
  else if (!isHarmless(name, site)) hit('SEC017', site.key, `${name} is not allowed as a member`);
}

function memberName({ key, computed, scope }: MemberSite): string | undefined {
  if (computed) return constantText(key, scope);
  return keyName(key);
}

/** Idioms that only read: `Object.prototype.hasOwnProperty.call(…)`, `error.constructor.name`, `item.caller` of an answer. */
function isHarmless(name: string, { node, parent, grandparent }: MemberSite): boolean {
  if (node.type !== 'MemberExpression') return name === 'caller' || name === 'callee';
  const { object } = node;
  if (name === 'caller' || name === 'callee') return object.type !== 'Identifier' || object.name !== 'arguments';
  const isRead =
    parent?.type === 'MemberExpression' &&
    parent.object === node &&
    !parent.computed &&
    parent.property.type === 'Identifier';
  if (name === 'constructor') {
    const isCompared = parent?.type === 'BinaryExpression' && ['===', '!==', '==', '!='].includes(parent.operator);
    return isCompared || (isRead && parent.property.type === 'Identifier' && parent.property.name === 'name');
  }
  if (name !== 'prototype' || object.type !== 'Identifier' || !allowedNames.has(object.name) || !isRead) return false;
  // X.prototype.method.call(…), not X.prototype.method = …
  switch (grandparent?.type) {
    case 'AssignmentExpression':
      return grandparent.left !== parent;
    case 'UpdateExpression':
      return false;
    case 'UnaryExpression':
      return grandparent.operator !== 'delete';
    default:
      return true;
  }
}
