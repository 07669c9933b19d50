import type { AnyNode, BinaryExpression, Identifier, Property, SpreadElement, VariableDeclarator } from 'acorn';
import { describeNode } from './describe-node.ts';
import { foldNew } from './fold-calls.ts';
import { foldArray, foldData, foldObject, foldRawTemplate, foldTemplate } from './fold-literals.ts';
import { foldLink, memberOfGlobal, shortCircuit } from './fold-members.ts';
import { foldBinary, foldUnary } from './fold-operators.ts';
import { bindPattern } from './fold-pattern.ts';
import {
  type Folded,
  foldedBuiltin,
  foldedFunction,
  foldedOpaque,
  isNotData,
  type Locals,
  unset,
} from './folded-value.ts';
import { type Folding, isTruthy, spendOnText, step } from './folding.ts';
import type { Binding, ModuleSyntax } from './module-syntax.ts';
import { needsEvaluation, wouldThrow } from './not-foldable.ts';
import { globalFunctions } from './pure-builtins.ts';
import { isFunction } from './syntax-children.ts';

/** Reads values from the syntax tree of one module. What was read is kept, so that shared parts stay shared. */
export interface Folder {
  /**
   * The value of an expression that stands in the module's own code.
   * @throws NotFoldable
   */
  foldExpression(expression: AnyNode): Folded;
  /**
   * The value that a name of the module has once the module has run.
   *
   * @param without - Keys that are left out, if the value is written as an object literal.
   * @throws NotFoldable
   */
  foldBinding(binding: Binding, without?: readonly string[]): Folded;
  /** The names that values were taken from so far, directly or through others. */
  readonly used: ReadonlySet<Binding>;
  /** Whether a built-in function was called so far. */
  hasCalledBuiltin(): boolean;
}

export function createFolder(syntax: ModuleSyntax): Folder {
  const values = new Map<VariableDeclarator, Map<string, Folded>>();
  const definitions = new Map<AnyNode, Folded>();
  const used = new Set<Binding>();
  const folding: Folding = { syntax, fold, steps: 0, depth: 0, calls: 0, hasCalledBuiltin: false, hasHoles: false };
  /** Where the module's own code stands: what is declared later has no value yet. */
  let now = 0;

  /** Folds as if the module had run up to an offset. */
  function at<Result>(offset: number, run: () => Result): Result {
    const outer = now;
    now = offset;
    try {
      return run();
    } finally {
      now = outer;
    }
  }

  function start<Result>(offset: number, run: () => Result): Result {
    folding.depth = 0;
    folding.calls = 0;
    return at(offset, run);
  }

  function fold(node: AnyNode, locals: Locals | undefined): Folded {
    step(folding, node);
    folding.depth += 1;
    const value = foldNode(node, locals);
    folding.depth -= 1;
    return value;
  }

  function foldNode(node: AnyNode, locals: Locals | undefined): Folded {
    switch (node.type) {
      case 'Literal':
        if (node.regex) return foldedOpaque(node, 'a regular expression');
        if (typeof node.value === 'bigint') return foldedOpaque(node, 'a BigInt');
        return node.value as string | number | boolean | null;
      case 'Identifier':
        return foldName(node, locals);
      case 'ObjectExpression': {
        const literal = syntax.literals.get(node);
        return literal ? foldData(folding, literal, locals) : foldObject(folding, node, locals);
      }
      case 'ArrayExpression':
        return foldArray(folding, node, locals);
      case 'TemplateLiteral':
        return foldTemplate(folding, node, locals);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
        return foldedFunction(node, locals);
      case 'ClassExpression':
      case 'ClassDeclaration':
        return foldedOpaque(node, 'a class');
      case 'UnaryExpression': {
        if (node.operator === 'delete') return needsEvaluation(node, '`delete` changes a value');
        const operand = fold(node.argument, locals);
        const result = isNotData(operand) ? undefined : foldUnary(node.operator, operand);
        return result ? result.value : needsEvaluation(node, `\`${node.operator}\` is applied to an object`);
      }
      case 'BinaryExpression':
        return foldOperands(node, locals);
      case 'LogicalExpression': {
        const left = fold(node.left, locals);
        if (node.operator === '??') return left === null || left === undefined ? fold(node.right, locals) : left;
        return (node.operator === '||') === isTruthy(left, node.left) ? left : fold(node.right, locals);
      }
      case 'ConditionalExpression':
        return fold(isTruthy(fold(node.test, locals), node.test) ? node.consequent : node.alternate, locals);
      case 'SequenceExpression':
        return node.expressions.map((part) => fold(part, locals)).at(-1);
      case 'ChainExpression':
        return foldChain(node.expression, locals);
      case 'MemberExpression':
      case 'CallExpression':
        return foldChain(node, locals);
      case 'NewExpression':
        return foldNew(folding, node, locals);
      case 'TaggedTemplateExpression': {
        const tag = memberOfGlobal(folding, node.tag, locals);
        if (tag?.owner === 'String' && tag.name === 'raw') return foldRawTemplate(folding, node.quasi, locals);
        return needsEvaluation(node, 'a tagged template calls a function');
      }
      default:
        return needsEvaluation(node, `it uses ${describeNode(node)}`);
    }
  }

  function foldChain(node: Parameters<typeof foldLink>[1], locals: Locals | undefined): Folded {
    const value = foldLink(folding, node, locals);
    return value === shortCircuit ? undefined : value;
  }

  /** Chains that lean to the left (`a + b + c + …`) can be long; they are folded without recursion. */
  function foldOperands(node: BinaryExpression, locals: Locals | undefined): Folded {
    const chain: BinaryExpression[] = [node];
    let first = node.left;
    for (; first.type === 'BinaryExpression'; first = first.left) chain.push(first);
    let value = fold(first, locals);
    for (const part of chain.reverse()) {
      const right = fold(part.right, locals);
      if (typeof value === 'string') folding.steps += value.length / 64;
      const result = isNotData(value) || isNotData(right) ? undefined : foldBinary(part.operator, value, right);
      if (result === undefined) return needsEvaluation(part, `\`${part.operator}\` is applied to an object`);
      value = result.value;
      if (typeof value === 'string') spendOnText(folding, value, part);
    }
    return value;
  }

  function foldName(node: Identifier, locals: Locals | undefined): Folded {
    const { name } = node;
    for (let frame = locals; frame !== undefined; frame = frame.parent) {
      const value = frame.names.get(name);
      if (value === unset) return wouldThrow(node, `${name} is used before it is defined`);
      if (value !== undefined || frame.names.has(name)) return value;
    }
    const binding = syntax.moduleScope.bindings?.get(name);
    if (binding !== undefined) return readBinding(binding, node);
    if (name === 'undefined') return undefined;
    if (name === 'NaN') return Number.NaN;
    if (name === 'Infinity') return Number.POSITIVE_INFINITY;
    const builtin = Object.hasOwn(globalFunctions, name) ? globalFunctions[name] : undefined;
    return builtin
      ? foldedBuiltin(node, builtin)
      : needsEvaluation(node, `${name} has a value only when the module runs`);
  }

  function readBinding(binding: Binding, node: AnyNode): Folded {
    used.add(binding);
    const { declaration, name } = binding;
    if (binding.kind === 'import') needsEvaluation(node, `${name} comes from another module`);
    if (declaration === undefined || !binding.direct || binding.repeated || binding.kind === 'using') {
      return needsEvaluation(node, `${name} is not a plain constant`);
    }
    if (isFunction(declaration)) return defined(declaration, () => foldedFunction(declaration, undefined));
    const isBeingRead = declaration.start === now && declaration.type === 'VariableDeclarator';
    const soFar = isBeingRead ? values.get(declaration) : undefined;
    if (soFar?.has(name)) return soFar.get(name);
    if (declaration.end > now) {
      if (binding.kind === 'var') needsEvaluation(node, `${name} is used before it has its value`);
      return wouldThrow(node, `${name} is used before it is defined`);
    }
    if (declaration.type !== 'VariableDeclarator')
      return defined(declaration, () => foldedOpaque(declaration, 'a class'));
    return (values.get(declaration) ?? readDeclaration(declaration)).get(name);
  }

  function foldWithout(binding: Binding, without: readonly string[]): Folded {
    const { declaration, direct, repeated } = binding;
    const literal = declaration?.type === 'VariableDeclarator' && declaration.init;
    if (without.length === 0 || !direct || repeated || !literal || literal.type !== 'ObjectExpression') {
      return readBinding(binding, syntax.program);
    }
    used.add(binding);
    const properties = literal.properties.filter((property) => !without.includes(nameOf(property) ?? ''));
    return at(declaration.start, () => fold({ ...literal, properties }, undefined));
  }

  /** Functions and classes are the same value each time they are named. */
  function defined(node: AnyNode, make: () => Folded): Folded {
    const value = definitions.get(node) ?? make();
    definitions.set(node, value);
    return value;
  }

  function readDeclaration(declaration: VariableDeclarator): ReadonlyMap<string, Folded> {
    const names = new Map<string, Folded>();
    return at(declaration.start, () => {
      const value = declaration.init ? fold(declaration.init, undefined) : undefined;
      // Defaults in the pattern may name what stands before them in the same pattern.
      values.set(declaration, names);
      try {
        bindPattern(folding, declaration.id, value, { locals: undefined, set: (name, part) => names.set(name, part) });
      } catch (error) {
        values.delete(declaration);
        throw error;
      }
      return names;
    });
  }

  // No getter here: V8 would keep the closure, and with it the whole tree, together with the shape of the object.
  return {
    foldExpression: (expression) => start(expression.start, () => fold(expression, undefined)),
    foldBinding: (binding, without = []) => start(Number.POSITIVE_INFINITY, () => foldWithout(binding, without)),
    used,
    hasCalledBuiltin: () => folding.hasCalledBuiltin,
  };
}

function nameOf(property: Property | SpreadElement): string | undefined {
  if (property.type === 'SpreadElement' || property.computed) return undefined;
  const { key } = property;
  return key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined;
}
