import type { AnyNode } from 'acorn';

/** A function in any of its forms. */
export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>;

export type ClassNode = Extract<AnyNode, { type: 'ClassDeclaration' | 'ClassExpression' }>;

/** The kinds of nodes by the names of their parts, in the order of the text. Kinds without parts are left out. */
const kindsByParts: Readonly<Record<string, string>> = {
  argument:
    'AwaitExpression RestElement ReturnStatement SpreadElement ThrowStatement UnaryExpression UpdateExpression YieldExpression',
  'block handler finalizer': 'TryStatement',
  body: 'BlockStatement ClassBody LabeledStatement Program StaticBlock',
  'body test': 'DoWhileStatement',
  'callee arguments': 'CallExpression NewExpression',
  declaration: 'ExportDefaultDeclaration',
  'declaration specifiers': 'ExportNamedDeclaration',
  declarations: 'VariableDeclaration',
  'discriminant cases': 'SwitchStatement',
  elements: 'ArrayExpression ArrayPattern',
  expression: 'ChainExpression ExpressionStatement ParenthesizedExpression',
  expressions: 'SequenceExpression',
  'id init': 'VariableDeclarator',
  'id params body': 'FunctionDeclaration FunctionExpression',
  'id superClass body': 'ClassDeclaration ClassExpression',
  'init test update body': 'ForStatement',
  'key value': 'MethodDefinition Property PropertyDefinition',
  'left right': 'AssignmentExpression AssignmentPattern BinaryExpression LogicalExpression',
  'left right body': 'ForInStatement ForOfStatement',
  'object body': 'WithStatement',
  'object property': 'MemberExpression',
  'param body': 'CatchClause',
  'params body': 'ArrowFunctionExpression',
  properties: 'ObjectExpression ObjectPattern',
  'quasis expressions': 'TemplateLiteral',
  'source options': 'ImportExpression',
  'tag quasi': 'TaggedTemplateExpression',
  'test body': 'WhileStatement',
  'test consequent': 'SwitchCase',
  'test consequent alternate': 'ConditionalExpression IfStatement',
};

const partKeys = new Map(
  Object.entries(kindsByParts).flatMap(([parts, kinds]) =>
    kinds.split(' ').map((kind) => [kind, parts.split(' ')] as const),
  ),
);

/** Calls `visit` for each direct part of a node. */
export function forEachPart(node: AnyNode, visit: (part: AnyNode) => void): void {
  const parts = node as unknown as Record<string, AnyNode | null | undefined | (AnyNode | null)[]>;
  for (const key of partKeys.get(node.type) ?? []) {
    const part = parts[key];
    if (Array.isArray(part)) {
      for (const item of part) if (item !== null) visit(item);
    } else if (part) visit(part);
  }
}

/** For each offset, the nodes around it, from the outermost to the innermost. */
export function pathsToOffsets(root: AnyNode, offsets: readonly number[]): ReadonlyMap<number, readonly AnyNode[]> {
  const sorted = [...offsets].sort((a, b) => a - b);
  const paths = new Map<number, readonly AnyNode[]>();
  const path: AnyNode[] = [];
  const visit = (node: AnyNode): void => {
    const first = firstNotBefore(sorted, node.start);
    if ((sorted[first] ?? Number.POSITIVE_INFINITY) >= node.end) return;
    path.push(node);
    forEachPart(node, visit);
    for (let index = first; (sorted[index] ?? Number.POSITIVE_INFINITY) < node.end; index += 1) {
      const offset = sorted[index] ?? 0;
      // Inner nodes come first. The tokens of a node itself lie between its parts.
      if (!paths.has(offset)) paths.set(offset, [...path]);
    }
    path.pop();
  };
  visit(root);
  return paths;
}

function firstNotBefore(sorted: readonly number[], offset: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function isFunction(node: AnyNode | null | undefined): node is FunctionNode {
  return (
    node?.type === 'ArrowFunctionExpression' ||
    node?.type === 'FunctionExpression' ||
    node?.type === 'FunctionDeclaration'
  );
}

/** The name that a key writes out: `a`, `'a'`, `1`. */
export function keyName(key: AnyNode): string | undefined {
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : undefined;
}

/** Whether a node is a member written out, such as `Object.freeze`. */
export function isMember(node: AnyNode, object: string, property: string): boolean {
  if (node.type !== 'MemberExpression' || node.computed) return false;
  return node.object.type === 'Identifier' && node.object.name === object && keyName(node.property) === property;
}

const kindsByWords: Readonly<Record<string, string>> = {
  '`await`': 'AwaitExpression',
  '`import()`': 'ImportExpression',
  '`import.meta`': 'MetaProperty',
  '`switch`': 'SwitchStatement',
  '`this`': 'ThisExpression',
  '`throw`': 'ThrowStatement',
  '`try`': 'TryStatement',
  '`yield`': 'YieldExpression',
  'a loop': 'DoWhileStatement ForInStatement ForOfStatement ForStatement WhileStatement',
  'a statement with effects': 'ExpressionStatement',
  'a tagged template': 'TaggedTemplateExpression',
  'an assignment': 'AssignmentExpression UpdateExpression',
};

/** Describes a construct to the author of a schema. */
export function describeNode({ type }: AnyNode): string {
  const known = Object.entries(kindsByWords).find(([, kinds]) => kinds.split(' ').includes(type));
  return known?.[0] ?? `syntax that cannot be read without running it (${type})`;
}
