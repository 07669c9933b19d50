import type { AnyNode } from 'acorn';
import { describeNode } from './describe-node.ts';
import { bindPattern, declarePattern, type PatternTarget } from './fold-pattern.ts';
import { type Folded, type FoldedFunction, foldedFunction, type Locals } from './folded-value.ts';
import { type Folding, isTruthy, step } from './folding.ts';
import { needsEvaluation } from './not-foldable.ts';

const maxCalls = 60;
const goesOn = Symbol('the function goes on');

/** Calls a function of the module: constants, conditions and what it returns; no loops and no assignments. */
export function applyFunction(
  folding: Folding,
  target: FoldedFunction,
  values: readonly Folded[],
  node: AnyNode,
): Folded {
  const { node: definition } = target;
  if (definition.async || definition.generator)
    return needsEvaluation(node, 'it calls an async function or a generator');
  if (folding.calls >= maxCalls) needsEvaluation(node, 'it calls functions inside functions too deeply');
  folding.calls += 1;
  const locals: Locals = { names: new Map(), parent: target.locals };
  if (definition.type === 'FunctionExpression' && definition.id) locals.names.set(definition.id.name, target);
  for (const parameter of definition.params) declarePattern(parameter, locals.names);
  definition.params.forEach((parameter, index) => {
    if (parameter.type === 'RestElement') bindPattern(folding, parameter.argument, values.slice(index), into(locals));
    else bindPattern(folding, parameter, values[index], into(locals));
  });
  const { body } = definition;
  const result = body.type === 'BlockStatement' ? foldBlock(folding, body.body, locals) : folding.fold(body, locals);
  folding.calls -= 1;
  return result === goesOn ? undefined : result;
}

function into(locals: Locals): PatternTarget {
  return { locals, set: (name, value) => locals.names.set(name, value) };
}

function foldBlock(folding: Folding, statements: readonly AnyNode[], parent: Locals): Folded | typeof goesOn {
  const locals: Locals = { names: new Map(), parent };
  for (const statement of statements) {
    if (statement.type === 'VariableDeclaration') {
      if (statement.kind !== 'const' && statement.kind !== 'let')
        needsEvaluation(statement, `a function uses ${statement.kind}`);
      for (const { id } of statement.declarations) declarePattern(id, locals.names);
    } else if (statement.type === 'FunctionDeclaration' && statement.id) {
      locals.names.set(statement.id.name, foldedFunction(statement, locals));
    }
  }
  for (const statement of statements) {
    const result = foldStatement(folding, statement, locals);
    if (result !== goesOn) return result;
  }
  return goesOn;
}

function foldStatement(folding: Folding, node: AnyNode, locals: Locals): Folded | typeof goesOn {
  step(folding, node);
  switch (node.type) {
    case 'ReturnStatement':
      return node.argument ? folding.fold(node.argument, locals) : undefined;
    case 'VariableDeclaration':
      for (const { id, init } of node.declarations) {
        bindPattern(folding, id, init ? folding.fold(init, locals) : undefined, into(locals));
      }
      return goesOn;
    case 'IfStatement': {
      const branch = isTruthy(folding.fold(node.test, locals), node.test) ? node.consequent : node.alternate;
      return branch ? foldStatement(folding, branch, locals) : goesOn;
    }
    case 'BlockStatement':
      return foldBlock(folding, node.body, locals);
    case 'FunctionDeclaration':
    case 'EmptyStatement':
      return goesOn;
    default:
      return needsEvaluation(node, `a function that it calls uses ${describeNode(node)}`);
  }
}
