import type { AnyNode } from 'acorn';

const words: Readonly<Record<string, string>> = {
  AssignmentExpression: 'an assignment',
  AwaitExpression: '`await`',
  DoWhileStatement: 'a loop',
  ExpressionStatement: 'a statement with effects',
  ForInStatement: 'a loop',
  ForOfStatement: 'a loop',
  ForStatement: 'a loop',
  ImportExpression: '`import()`',
  MetaProperty: '`import.meta`',
  SwitchStatement: '`switch`',
  TaggedTemplateExpression: 'a tagged template',
  ThisExpression: '`this`',
  ThrowStatement: '`throw`',
  TryStatement: '`try`',
  UpdateExpression: 'an assignment',
  WhileStatement: 'a loop',
  YieldExpression: '`yield`',
};

/** A construct in words for authors. */
export function describeNode({ type }: AnyNode): string {
  return words[type] ?? `a construct that only running it can tell (${type})`;
}
