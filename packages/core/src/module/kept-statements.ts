import type { AnyNode } from 'acorn';
import type { Binding, ExportTarget, ModuleSyntax } from './module-syntax.ts';
import { forEachPart, isFunction } from './syntax-children.ts';

/**
 * The statements that an export needs, by their index in `program.body`: its own, those that declare what these name, and
 * those that use what these name and may change it when the module is loaded.
 *
 * @param mayChange - Whether a statement may change what it uses. Default: where it assigns, deletes, or calls what is not
 *   known to read only.
 */
export function keptStatements(
  syntax: ModuleSyntax,
  target: ExportTarget,
  mayChange: (statement: AnyNode) => boolean = (statement) => runsCode(statement, syntax.boundNames),
): ReadonlySet<number> {
  const { names, users, declared } = connections(syntax);
  const kept = new Set<number>();
  /** Names that lead to something kept, and the statements that use them. */
  const reached = new Set<Binding>();
  const reaching = new Set<number>();
  const waiting: number[] = [];

  function reach(first: Binding): void {
    const bindings = [first];
    for (let binding = bindings.pop(); binding !== undefined; binding = bindings.pop()) {
      if (reached.has(binding)) continue;
      reached.add(binding);
      for (const index of users.get(binding) ?? []) {
        if (reaching.has(index)) continue;
        reaching.add(index);
        const statement = syntax.program.body[index];
        if (statement && mayChange(statement)) waiting.push(index);
        bindings.push(...(declared.get(index) ?? []));
      }
    }
  }

  if (target.kind === 'value') waiting.push(target.statement);
  else if (target.kind === 'name') {
    const binding = syntax.moduleScope.bindings?.get(target.local);
    if (binding) {
      waiting.push(...binding.statements);
      reach(binding);
    }
  }
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (kept.has(index)) continue;
    kept.add(index);
    for (const binding of names[index] ?? []) {
      waiting.push(...binding.statements);
      reach(binding);
    }
  }
  return kept;
}

/** Whether a statement does something when the module is loaded that could matter to another one. */
function runsCode(statement: AnyNode, boundNames: ReadonlySet<string>): boolean {
  switch (statement.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'FunctionDeclaration':
    case 'EmptyStatement':
      return false;
    case 'ExportNamedDeclaration':
      return statement.declaration ? runsCode(statement.declaration, boundNames) : false;
    case 'ExportDefaultDeclaration':
    case 'ClassDeclaration':
    case 'VariableDeclaration':
      return mayChangeOnLoad(statement, boundNames);
    default:
      return true;
  }
}

interface Connections {
  /** The names of the module that each statement uses. */
  names: readonly ReadonlySet<Binding>[];
  /** The statements that use each name. */
  users: ReadonlyMap<Binding, ReadonlySet<number>>;
  /** The names that each statement declares. */
  declared: ReadonlyMap<number, readonly Binding[]>;
}

function connections({ program, references, moduleScope }: ModuleSyntax): Connections {
  const names = program.body.map(() => new Set<Binding>());
  const users = new Map<Binding, Set<number>>();
  const declared = new Map<number, Binding[]>();
  for (const { binding, statement, parent } of references) {
    if (!binding?.topLevel || parent.type === 'ExportNamedDeclaration') continue;
    names[statement]?.add(binding);
    const known = users.get(binding);
    if (known) known.add(statement);
    else users.set(binding, new Set([statement]));
  }
  for (const binding of moduleScope.bindings?.values() ?? []) {
    for (const index of binding.statements) {
      const known = declared.get(index);
      if (known) known.push(binding);
      else declared.set(index, [binding]);
    }
  }
  return { names, users, declared };
}

/** Whether code outside of functions could change a value that it names. */
function mayChangeOnLoad(node: AnyNode, boundNames: ReadonlySet<string>): boolean {
  if (isFunction(node)) return false;
  switch (node.type) {
    case 'AssignmentExpression':
    case 'UpdateExpression':
    case 'TaggedTemplateExpression':
    case 'AwaitExpression':
    case 'StaticBlock':
      return true;
    case 'UnaryExpression':
      if (node.operator === 'delete') return true;
      break;
    case 'CallExpression':
    case 'NewExpression':
      // A callback runs when the call runs.
      return mayChangeValues(node, boundNames);
  }
  return somePart(node, (part) => mayChangeOnLoad(part, boundNames));
}

/** Whether code could change a value that it names. Functions in it count as if they were called. */
function mayChangeValues(node: AnyNode, boundNames: ReadonlySet<string>): boolean {
  switch (node.type) {
    case 'AssignmentExpression':
    case 'UpdateExpression':
    case 'TaggedTemplateExpression':
    case 'YieldExpression':
    case 'AwaitExpression':
    case 'ImportExpression':
      return true;
    case 'UnaryExpression':
      if (node.operator === 'delete') return true;
      break;
    case 'CallExpression':
    case 'NewExpression':
      if (!onlyReads(node.callee, boundNames)) return true;
      break;
  }
  return somePart(node, (part) => mayChangeValues(part, boundNames));
}

function somePart(node: AnyNode, test: (part: AnyNode) => boolean): boolean {
  let found = false;
  forEachPart(node, (part) => {
    found ||= test(part);
  });
  return found;
}

const readingFunctions = words('Boolean Map Number Set String WeakMap WeakSet structuredClone');

const readingStatics: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Array', words('from isArray of')],
  ['JSON', words('parse stringify')],
  ['Math', words('abs ceil floor max min pow round sign sqrt trunc')],
  ['Number', words('isFinite isInteger isNaN isSafeInteger parseFloat parseInt')],
  ['Object', words('entries freeze fromEntries hasOwn keys preventExtensions seal values')],
  ['String', words('fromCharCode fromCodePoint')],
]);

/** Methods of arrays, text, numbers and sets that leave what they are called on as it is. */
const readingMethods = words(
  `at charAt charCodeAt codePointAt concat endsWith every filter find findIndex findLast findLastIndex flat flatMap has
  includes indexOf isWellFormed join lastIndexOf map normalize padEnd padStart reduce reduceRight repeat replace replaceAll
  slice some split startsWith substr substring toExponential toFixed toLowerCase toPrecision toReversed toSorted toSpliced
  toString toUpperCase toWellFormed trim trimEnd trimStart valueOf with`,
);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/** Whether a call only reads what it is given, unless the module means something else by the name. */
function onlyReads(callee: AnyNode, boundNames: ReadonlySet<string>): boolean {
  if (callee.type === 'Identifier') return readingFunctions.has(callee.name) && !boundNames.has(callee.name);
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return false;
  const { object, property } = callee;
  if (
    object.type === 'Identifier' &&
    !boundNames.has(object.name) &&
    readingStatics.get(object.name)?.has(property.name)
  )
    return true;
  return readingMethods.has(property.name);
}
