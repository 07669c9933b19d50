import type { AnyNode, Identifier } from 'acorn';
import type { Folder } from './fold.ts';
import type { Binding, ModuleSyntax, Reference } from './module-syntax.ts';
import { arrayMethods } from './pure-builtins.ts';
import { isReadingFunction, isReadingMethod, isStaticReader, mayChangeValues } from './reading-calls.ts';
import { type FunctionNode, forEachPart, isFunction } from './syntax-children.ts';

/** Something that may change a value after it was made, while the module is loaded. */
export interface Effect {
  node: AnyNode;
  name: string;
}

/** Built-in objects that folding takes for what they are. A module that hands them around might change them. */
const trustedGlobals = new Set([
  'Array',
  'Boolean',
  'JSON',
  'Math',
  'Number',
  'Object',
  'Set',
  'String',
  'structuredClone',
]);

/**
 * Looks for code that could make a value differ from what its own text says: assignments, deletions, methods that change
 * their object, and calls that are handed the value. Only code that runs while the module is loaded counts.
 *
 * It errs on the side of seeing an effect; a module where it sees one is evaluated instead of read.
 *
 * @param used - The names whose values were read.
 */
export function findEffect(
  syntax: ModuleSyntax,
  { used, hasCalledBuiltin }: Pick<Folder, 'used' | 'hasCalledBuiltin'>,
): Effect | undefined {
  const running = runningReferences(syntax, used);
  const isTrusted = ({ binding, node }: Reference) =>
    binding === undefined && hasCalledBuiltin() && trustedGlobals.has(node.name);
  const suspicious = running.filter((reference) =>
    reference.binding === undefined ? isTrusted(reference) : used.has(reference.binding),
  );
  const written = suspicious.find(({ write }) => write);
  if (written) return { node: written.node, name: written.node.name };
  if (suspicious.length === 0) return undefined;

  const uses = usesOf(syntax, running);
  const byName = bindingsByName(running);
  const waiting = uses.filter(({ reference }) => isTrusted(reference));
  const usesByBinding = Map.groupBy(uses, ({ reference }) => reference.binding);
  for (const binding of used) waiting.push(...(usesByBinding.get(binding) ?? []));
  for (let use = waiting.pop(); use !== undefined; use = waiting.pop()) {
    const fate = fateOf(use, syntax.boundNames);
    if (fate.kind === 'changed') return { node: use.reference.node, name: use.reference.node.name };
    if (fate.kind === 'read') continue;
    // From here on, what has one of these names may be the value.
    for (const name of fate.names) {
      for (const binding of byName.get(name) ?? []) {
        if (!used.has(binding)) waiting.push(...(usesByBinding.get(binding) ?? []));
      }
      byName.delete(name);
    }
  }
  return undefined;
}

function bindingsByName(references: readonly Reference[]): Map<string, readonly Binding[]> {
  const bindings = new Set(references.flatMap(({ binding }) => binding ?? []));
  return Map.groupBy(bindings, ({ name }) => name);
}

/** References in code that runs on load, apart from the initialisers that were folded: folding allows no effects there. */
function runningReferences(syntax: ModuleSyntax, used: ReadonlySet<Binding>): Reference[] {
  const isFolded = rangeTest(
    [...used].flatMap((binding) =>
      binding.declaration?.type === 'VariableDeclarator' && !functionOf(binding) ? [binding.declaration] : [],
    ),
  );
  const named = namedFunctions(syntax);
  const running: Reference[] = [];
  const waiting = new Map<FunctionNode, Reference[]>();
  for (const reference of syntax.references) {
    const { node, within } = reference;
    if (isFolded(node.start)) continue;
    if (within === undefined || !named.has(within)) running.push(reference);
    else if (!waiting.get(within)?.push(reference)) waiting.set(within, [reference]);
  }
  for (let index = 0; index < running.length; index += 1) {
    const { binding, parent } = running[index] ?? {};
    const target = binding && functionOf(binding);
    if (target === undefined || (parent && isExport(parent))) continue;
    for (const reference of waiting.get(target) ?? []) running.push(reference);
    waiting.delete(target);
  }
  return running;
}

/** Tells whether an offset lies in one of these nodes, which do not overlap. */
function rangeTest(nodes: readonly AnyNode[]): (offset: number) => boolean {
  const sorted = [...nodes].sort((a, b) => a.start - b.start);
  return (offset) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.end ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const node = sorted[low];
    return node !== undefined && node.start <= offset;
  };
}

function isExport(parent: AnyNode): boolean {
  return parent.type === 'ExportNamedDeclaration' || parent.type === 'ExportDefaultDeclaration';
}

/** Functions that run only when something calls them by their name. */
function namedFunctions({ moduleScope, program }: ModuleSyntax): ReadonlySet<FunctionNode> {
  const functions = new Set<FunctionNode>();
  for (const binding of moduleScope.bindings?.values() ?? []) {
    const target = functionOf(binding);
    if (target) functions.add(target);
  }
  for (const statement of program.body) {
    if (statement.type === 'ExportDefaultDeclaration' && isFunction(statement.declaration))
      functions.add(statement.declaration);
  }
  return functions;
}

function functionOf({ declaration }: Binding): FunctionNode | undefined {
  if (declaration?.type !== 'VariableDeclarator') return isFunction(declaration) ? declaration : undefined;
  return isFunction(declaration.init) ? declaration.init : undefined;
}

interface Use {
  reference: Reference;
  /** From the program down to the node that holds the name. */
  ancestors: readonly AnyNode[];
}

function usesOf({ program }: ModuleSyntax, references: readonly Reference[]): Use[] {
  const wanted = new Map<Identifier, Reference>(references.map((reference) => [reference.node, reference]));
  const uses: Use[] = [];
  const ancestors: AnyNode[] = [];
  const visit = (node: AnyNode): void => {
    if (node.type === 'Identifier') {
      const reference = wanted.get(node);
      if (reference !== undefined) uses.push({ reference, ancestors: [...ancestors] });
      return;
    }
    ancestors.push(node);
    forEachPart(node, visit);
    ancestors.pop();
  };
  visit(program);
  return uses;
}

/** What becomes of a value: only looked at, possibly changed, or known under further names from here on. */
type Fate = { kind: 'read' } | { kind: 'changed' } | { kind: 'kept'; names: ReadonlySet<string> };

const read: Fate = { kind: 'read' };
const changed: Fate = { kind: 'changed' };

/** Follows a value outwards from where its name stands. */
function fateOf({ reference, ancestors }: Use, boundNames: ReadonlySet<string>): Fate {
  let value: AnyNode = reference.node;
  const isGlobal = reference.binding === undefined;
  for (let index = ancestors.length - 1; index >= 0; index -= 1) {
    const around = ancestors[index];
    if (around === undefined) return read;
    switch (around.type) {
      case 'MemberExpression':
        if (around.object !== value) return read;
        break;
      case 'CallExpression':
      case 'NewExpression': {
        const fate = fateInCall(around, value, { isGlobal, boundNames });
        if (fate !== undefined) return fate;
        break;
      }
      case 'SpreadElement':
      case 'ArrayExpression':
      case 'ObjectExpression':
      case 'ChainExpression':
      case 'AwaitExpression':
      case 'SequenceExpression':
      case 'ConditionalExpression':
      case 'LogicalExpression':
        break;
      case 'Property':
        if (around.key === value && around.value !== value) return read;
        break;
      case 'ArrowFunctionExpression':
        // What a callback gives back reaches the function that it was passed to.
        if (around.body !== value) return changed;
        break;
      case 'AssignmentExpression':
        if (around.left === value || around.left.type === 'MemberExpression') return changed;
        return { kind: 'kept', names: namesIn(around.left) };
      case 'VariableDeclarator':
        return around.init === value ? { kind: 'kept', names: namesIn(around.id) } : read;
      case 'ForOfStatement':
      case 'ForInStatement':
        if (around.left === value) return changed;
        if (around.right !== value || around.type === 'ForInStatement') return read;
        return { kind: 'kept', names: namesIn(around.left) };
      case 'TemplateLiteral':
        // What a tagged template holds is handed to a function.
        return ancestors[index - 1]?.type === 'TaggedTemplateExpression' ? changed : read;
      case 'UpdateExpression':
        return changed;
      case 'UnaryExpression':
        return around.operator === 'delete' ? changed : read;
      case 'BinaryExpression':
      case 'ExpressionStatement':
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
      case 'IfStatement':
      case 'SwitchStatement':
      case 'SwitchCase':
      case 'WhileStatement':
      case 'DoWhileStatement':
      case 'ForStatement':
        return read;
      default:
        return changed;
    }
    value = around;
  }
  return read;
}

/** Undefined where the call's result may hold the value, so that following goes on. */
function fateInCall(
  call: Extract<AnyNode, { type: 'CallExpression' | 'NewExpression' }>,
  value: AnyNode,
  { isGlobal, boundNames }: { isGlobal: boolean; boundNames: ReadonlySet<string> },
): Fate | undefined {
  const { callee } = call;
  if (callee === value) {
    if (isGlobal) return read;
    if (value.type === 'MemberExpression') return callsReader(value, call, boundNames) ? undefined : changed;
    // A function that was folded is free of effects; a call of anything else cannot reach the value through its own name.
    return undefined;
  }
  if (callee.type === 'Identifier')
    return isReadingFunction(callee.name, boundNames) && !isGlobal ? undefined : changed;
  if (callee.type !== 'MemberExpression' || callee.computed) return changed;
  const { object, property } = callee;
  // `list.map(String)`
  if (isGlobal && value.type === 'Identifier' && property.type === 'Identifier' && arrayMethods.has(property.name))
    return read;
  if (object.type !== 'Identifier' || property.type !== 'Identifier' || isGlobal) return changed;
  if (object.name === 'console' && !boundNames.has('console')) return read;
  if (property.name === 'assign' && call.arguments[0] === value) return changed;
  return isStaticReader(object.name, property.name, boundNames) ? undefined : changed;
}

/** Whether a method call leaves its object, and what the object holds, as it is. */
function callsReader(
  member: Extract<AnyNode, { type: 'MemberExpression' }>,
  call: AnyNode,
  boundNames: ReadonlySet<string>,
): boolean {
  const { property } = member;
  if (member.computed || property.type !== 'Identifier' || !isReadingMethod(property.name)) return false;
  const values = call.type === 'CallExpression' ? call.arguments : [];
  // A callback is given parts of the value.
  return values.every(
    (argument) =>
      !isFunction(argument) || (argument.body.type !== 'BlockStatement' && !mayChangeValues(argument.body, boundNames)),
  );
}

function namesIn(pattern: AnyNode): Set<string> {
  const names = new Set<string>();
  const visit = (node: AnyNode): void => {
    if (node.type === 'Identifier') names.add(node.name);
    else forEachPart(node, visit);
  };
  visit(pattern);
  return names;
}
