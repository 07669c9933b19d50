import type { AnyNode, ObjectExpression } from 'acorn';
import { childPath } from '../schema/finding.ts';
import { extractProgram, type ModuleParts } from './module-program.ts';
import {
  type Binding,
  constantText,
  type ExportTarget,
  initialiserOf,
  type ModuleSyntax,
  resolve,
  type Scope,
} from './module-syntax.ts';
import type { LocateOffset, TextPosition } from './module-text.ts';
import { setOwn } from './read-literal.ts';
import type { ScanHit } from './scan.ts';
import { type FunctionNode, forEachPart, isFunction } from './syntax-children.ts';

/** The `handlers` export as far as its text tells. */
export interface ParsedHandlers extends ParsedFactory {
  /** Writes a script that binds `handlers`. Not a getter: V8 would keep the syntax tree alive until the next full collection. */
  source: () => string;
  /** `other` when the text shows that it is not a function. */
  kind: 'function' | 'other';
  /** Origins that the code names in calls of `fetch`, with their positions. */
  fetched?: readonly ({ origin: string } & TextPosition)[];
}

/** What the text of a handlers factory shows. */
interface ParsedFactory {
  /** Tool names to hook names. Absent if only calling the factory shows them. */
  names?: Readonly<Record<string, readonly string[]>>;
  /** Why it cannot return handlers: a sentence. */
  fault?: string;
  /** Values that are not an object of hooks, or not a hook: `handlers.getThing` and `5`. */
  invalidHooks?: readonly { path: string; what: string }[];
}

/** Parses the `handlers` export, or else a function that is exported as default. */
export function parseHandlers(
  parts: ModuleParts,
  targets: ReadonlyMap<string, ExportTarget>,
  position: LocateOffset,
): { handlers?: ParsedHandlers; hits: readonly ScanHit[] } {
  const { syntax } = parts;
  const fallback = targets.get('default');
  const isFactory = fallback && isFunction(definitionOf(fallback, syntax));
  const target = targets.get('handlers') ?? (isFactory ? fallback : undefined);
  if (target === undefined || target.kind === 'foreign') return { hits: [] };
  const definition = definitionOf(target, syntax);
  const { source, hits } = extractProgram(parts, 'handlers', target);
  const kind = definition !== undefined && nonFunctions.includes(definition.type) ? 'other' : 'function';
  const factory = isFunction(definition) ? parseFactory(definition, syntax) : undefined;
  const fetched = fetchedOrigins(syntax).map(({ origin, offset }) => ({ origin, ...position(offset) }));
  return { handlers: { kind, fetched, source, ...factory }, hits };
}

/** The function, object or other expression that defines an export. */
export function definitionOf(target: ExportTarget, { moduleScope }: ModuleSyntax): AnyNode | undefined {
  let node: AnyNode | undefined = target.node;
  for (let steps = 0; steps < 20 && node?.type === 'Identifier'; steps += 1) {
    node = initialiserOf(node.name, moduleScope);
  }
  return node;
}

const nonFunctions: readonly AnyNode['type'][] = [
  ...(['ArrayExpression', 'ClassDeclaration', 'ClassExpression', 'Literal'] as const),
  ...(['NewExpression', 'ObjectExpression', 'TemplateLiteral'] as const),
];

/** Parses a handlers factory without calling it. */
function parseFactory(factory: FunctionNode, { references, moduleScope }: ModuleSyntax): ParsedFactory {
  const bindings = new Map<AnyNode, Binding>();
  /** Names with other uses than being returned or put into an object: their values may be changed. */
  const touched = new Set<Binding>();
  for (const { node, parent, binding } of references) {
    if (binding === undefined) continue;
    bindings.set(node, binding);
    if (!['ArrowFunctionExpression', 'ObjectExpression', 'ReturnStatement'].includes(parent.type)) touched.add(binding);
  }
  const invalidHooks: { path: string; what: string }[] = [];
  const { body } = factory;
  const returned = body.type === 'BlockStatement' ? returnedBy(body) : [body];
  const fault = findFault();
  if (fault !== undefined) return { fault, invalidHooks };
  const [result] = returned.length === 1 ? returned : [];
  const tools = result && objectOf(result);
  const names = tools && readTools(tools);
  return { ...(names && { names }), invalidHooks };

  /** Why the factory cannot return a plain object, if its text shows that. */
  function findFault(): string | undefined {
    if (factory.generator) return 'It is a generator.';
    if (factory.async) return 'It is async, so it returns a promise.';
    if (returned.length === 0) {
      if (body.type === 'BlockStatement' && body.body.at(-1)?.type === 'ThrowStatement') return 'It throws.';
      // A loop may never end, or end by throwing.
      return hasLoop(body) ? undefined : 'It returns nothing.';
    }
    const others = returned.map((node) => (node === undefined ? 'nothing' : nonObject(node)));
    return others.every((what) => what !== undefined) ? `It returns ${others[0]}.` : undefined;
  }

  function readTools({ properties }: ObjectExpression): Record<string, readonly string[]> | undefined {
    // Callers look up names from files, so nothing may be inherited.
    const names: Record<string, readonly string[]> = Object.create(null);
    let isKnown = true;
    for (const property of properties) {
      const name = keyOf(property);
      if (name === undefined || property.type !== 'Property') {
        isKnown = false;
        continue;
      }
      const path = childPath('handlers', name);
      const hooks = objectOf(property.value);
      const what = hooks ? undefined : nonObject(property.value);
      if (what !== undefined && !isNullish(property.value)) invalidHooks.push({ path, what });
      const keys = hooks ? hookKeys(hooks, path) : [];
      if (keys === undefined || (hooks === undefined && what === undefined)) isKnown = false;
      else setOwn(names, name, keys);
    }
    return isKnown ? names : undefined;
  }

  function hookKeys(hooks: ObjectExpression, path: string): string[] | undefined {
    const keys: string[] = [];
    for (const hook of hooks.properties) {
      const key = keyOf(hook);
      if (key === undefined || hook.type !== 'Property') return undefined;
      if (isNullish(hook.value)) continue;
      const what = isFunction(hook.value) ? undefined : nonObject(hook.value);
      if (what === undefined || what === 'a function') keys.push(key);
      else invalidHooks.push({ path: childPath(path, key), what });
    }
    return keys;
  }

  /** Describes an expression, or the constant that it names, if it is certainly not a plain object. */
  function nonObject(node: AnyNode): string | undefined {
    const what = describeNonObject(node);
    if (what !== undefined || node.type !== 'Identifier') return what;
    const { kind, declaration } = bindings.get(node) ?? {};
    if (isFunction(declaration)) return 'a function';
    if (kind !== 'const' || declaration?.type !== 'VariableDeclarator') return undefined;
    return declaration.id.type === 'Identifier' && declaration.init ? describeNonObject(declaration.init) : undefined;
  }

  /** An object literal, or that of a constant which nothing can change. */
  function objectOf(node: AnyNode): ObjectExpression | undefined {
    if (node.type === 'ObjectExpression') return node;
    const binding = bindings.get(node);
    const declaration = binding?.declaration;
    if (declaration?.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier') return undefined;
    const isKept = binding !== undefined && !touched.has(binding);
    return isKept && declaration.init?.type === 'ObjectExpression' ? declaration.init : undefined;
  }

  function keyOf(property: ObjectExpression['properties'][number]): string | undefined {
    if (property.type === 'SpreadElement' || property.kind !== 'init') return undefined;
    const { key } = property;
    if (key.type === 'Literal') return String(key.value);
    if (!property.computed) return key.type === 'Identifier' ? key.name : undefined;
    return namesOnlyConstants(key) ? constantText(key, moduleScope) : undefined;
  }

  /** Whether an expression names only constants of the module, so that it has the same value everywhere. */
  function namesOnlyConstants(node: AnyNode): boolean {
    if (node.type === 'Identifier') {
      const binding = bindings.get(node);
      return binding?.kind === 'const' && binding.topLevel;
    }
    return partsOf(node).every(namesOnlyConstants);
  }
}

function hasLoop(node: AnyNode): boolean {
  return /^(For|While|DoWhile)/.test(node.type) || partsOf(node).some((part) => !isFunction(part) && hasLoop(part));
}

function returnedBy(node: AnyNode): (AnyNode | undefined)[] {
  if (isFunction(node)) return [];
  return node.type === 'ReturnStatement' ? [node.argument ?? undefined] : partsOf(node).flatMap(returnedBy);
}

function partsOf(node: AnyNode): AnyNode[] {
  const parts: AnyNode[] = [];
  forEachPart(node, (part) => parts.push(part));
  return parts;
}

/** Describes an expression if its form shows that it is not a plain object. */
function describeNonObject(node: AnyNode): string | undefined {
  if (isNullish(node)) return node.type === 'Literal' ? 'null' : 'nothing';
  if (isFunction(node)) return 'a function';
  switch (node.type) {
    case 'Literal':
      if (node.regex) return 'a regular expression';
      return typeof node.value === 'string' ? 'text' : String(node.value);
    case 'TemplateLiteral':
      return 'text';
    case 'ArrayExpression':
      return 'an array';
    case 'ClassExpression':
      return 'a class';
    case 'UnaryExpression':
      return node.operator === 'void' ? 'nothing' : `the result of ${node.operator}`;
    default:
      return undefined;
  }
}

/** `null` or `undefined`, as written. */
function isNullish(node: AnyNode): boolean {
  return (
    (node.type === 'Literal' && node.value === null && !node.regex) ||
    (node.type === 'Identifier' && node.name === 'undefined')
  );
}

interface FetchedOrigin {
  /** Scheme, host and port. */
  origin: string;
  offset: number;
}

/** The origins written out in calls of `fetch`, each once. Code can hide others. */
function fetchedOrigins({ references }: ModuleSyntax): readonly FetchedOrigin[] {
  const found = new Map<string, FetchedOrigin>();
  for (const { node, parent, scope, binding } of references) {
    const isCall = parent.type === 'CallExpression' && parent.callee === node;
    if (node.name !== 'fetch' || binding !== undefined || !isCall) continue;
    const [url] = parent.arguments;
    const origin = url && originIn(beginningOf(url, scope));
    if (origin !== undefined && !found.has(origin)) found.set(origin, { origin, offset: url?.start ?? node.start });
  }
  return [...found.values()];
}

/** The constant beginning of an expression, and whether that is all of it. */
interface Beginning {
  text: string;
  isWhole: boolean;
}

const maxSteps = 20;

function beginningOf(node: AnyNode, scope: Scope, steps: number = maxSteps): Beginning | undefined {
  if (steps === 0) return undefined;
  const whole = constantText(node, scope);
  if (whole !== undefined) return { text: whole, isWhole: true };
  const inner = (part: AnyNode | null | undefined): Beginning | undefined => {
    const beginning = part ? beginningOf(part, scope, steps - 1) : undefined;
    return beginning && { ...beginning, isWhole: false };
  };
  switch (node.type) {
    case 'TemplateLiteral': {
      const text = node.quasis[0]?.value.cooked ?? '';
      return text === '' ? inner(node.expressions[0]) : { text, isWhole: false };
    }
    case 'BinaryExpression':
      return node.operator === '+' ? inner(node.left) : undefined;
    case 'NewExpression':
      return node.callee.type === 'Identifier' && node.callee.name === 'URL' && node.arguments.length === 1
        ? inner(node.arguments[0])
        : undefined;
    case 'Identifier': {
      const { kind, declaration } = resolve(node.name, scope) ?? {};
      const isConstant = kind === 'const' && declaration?.type === 'VariableDeclarator';
      return isConstant && declaration.id.type === 'Identifier' ? inner(declaration.init) : undefined;
    }
    default:
      return undefined;
  }
}

/** The origin of a URL, if the text contains all of it: a computed part may continue the host. */
function originIn(beginning: Beginning | undefined): string | undefined {
  if (beginning === undefined) return undefined;
  const { text, isWhole } = beginning;
  const host = /^https?:\/\/[^\s/?#\\]+/i.exec(text)?.[0];
  if (host === undefined || (!isWhole && host.length === text.length)) return undefined;
  return URL.parse(host)?.origin;
}
