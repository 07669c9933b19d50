import type {
  AnyNode,
  AssignmentProperty,
  Identifier,
  MemberExpression,
  Program,
  Property,
  VariableDeclarator,
} from 'acorn';
import {
  type Binding,
  type BindingKind,
  type ImportSite,
  type MemberSite,
  type ModuleSyntax,
  type Reference,
  resolve,
  type Scope,
} from './module-syntax.ts';
import { type ClassNode, type FunctionNode, forEachPart } from './syntax-children.ts';

/** Chains of members and calls make deep trees that the parser does not limit. */
const maxTreeDepth = 700;

/** Thrown for a tree that is too deep for the recursive steps that follow. */
export class TreeTooDeep extends Error {
  readonly offset: number;
  constructor(offset: number) {
    super(`Expression is more than ${maxTreeDepth} steps deep`);
    this.offset = offset;
  }
}

/**
 * Walks a module once: declares names in their scopes, collects references and the nodes that the security scan checks, and
 * resolves each reference.
 *
 * @param watched - Member names to record. Computed members are always recorded.
 * @throws TreeTooDeep
 */
export function readSyntax(program: Program, watched: ReadonlySet<string>): ModuleSyntax {
  const moduleScope: Scope = { parent: undefined, holdsVar: true, hasArguments: false, bindings: new Map() };
  const references: Reference[] = [];
  const members: MemberSite[] = [];
  const imports: ImportSite[] = [];
  const metaProperties: AnyNode[] = [];
  const topLevelAwaits: { node: AnyNode; statement: number }[] = [];
  const ancestors: AnyNode[] = [];
  let scope = moduleScope;
  let statement = 0;
  let within: FunctionNode | undefined;

  function declare(target: Scope, binding: Omit<Binding, 'topLevel' | 'statements' | 'repeated'>): void {
    target.bindings ??= new Map();
    const earlier = target.bindings.get(binding.name);
    if (earlier !== undefined) {
      earlier.repeated = true;
      earlier.statements.push(statement);
    } else {
      const topLevel = target === moduleScope;
      target.bindings.set(binding.name, { ...binding, topLevel, statements: [statement], repeated: false });
    }
  }

  /** Calls `onName` for each name in a pattern, and walks its keys, defaults and members. */
  function walkPattern(pattern: AnyNode, onName: (name: Identifier) => void): void {
    switch (pattern.type) {
      case 'Identifier':
        onName(pattern);
        return;
      case 'ObjectPattern':
        for (const part of pattern.properties) {
          if (part.type === 'Property') recordKey(part);
          walkPattern(part.type === 'Property' ? part.value : part.argument, onName);
        }
        return;
      case 'ArrayPattern':
        for (const element of pattern.elements) if (element !== null) walkPattern(element, onName);
        return;
      case 'RestElement':
        walkPattern(pattern.argument, onName);
        return;
      case 'AssignmentPattern':
        walkPattern(pattern.left, onName);
        walk(pattern.right);
        return;
      default:
        walk(pattern);
    }
  }

  function declarePattern(pattern: AnyNode, kind: BindingKind, declaration?: VariableDeclarator): void {
    const target = kind === 'var' ? varScope(scope) : scope;
    const direct = target === moduleScope && isDirect(ancestors);
    walkPattern(pattern, ({ name }) => declare(target, { name, kind, direct, ...(declaration && { declaration }) }));
  }

  function assign(target: AnyNode): void {
    walkPattern(target, (name) => refer(name, true));
  }

  function recordKey(node: Property | AssignmentProperty): void {
    if (node.computed) {
      walk(node.key);
      members.push({ node, key: node.key, computed: true, scope, parent: undefined, grandparent: undefined });
    } else if (node.key.type === 'Identifier' ? watched.has(node.key.name) : node.key.type === 'Literal') {
      members.push({ node, key: node.key, computed: false, scope, parent: undefined, grandparent: undefined });
    }
  }

  function refer(node: Identifier, write: boolean): void {
    const parent = ancestors.at(-1) ?? program;
    references.push({ node, parent, scope, write, statement, within, binding: undefined });
  }

  function inScope(holdsVar: boolean, hasArguments: boolean, body: () => void): void {
    const outer = scope;
    scope = { parent: outer, holdsVar, hasArguments: hasArguments || outer.hasArguments, bindings: undefined };
    body();
    scope = outer;
  }

  function walkFunction(node: FunctionNode): void {
    if (node.type === 'FunctionDeclaration' && node.id !== null && node.id !== undefined) {
      const { name } = node.id;
      const direct = scope === moduleScope && isDirect(ancestors.slice(0, -1));
      declare(scope, { name, kind: 'function', direct, declaration: node });
    }
    const outer = within;
    within ??= node;
    // Default values see the parameters but not the declarations of the body: two scopes.
    inScope(true, node.type !== 'ArrowFunctionExpression', () => {
      if (node.type === 'FunctionExpression' && node.id) {
        declare(scope, { name: node.id.name, kind: 'function', direct: false, declaration: node });
      }
      for (const parameter of node.params) declarePattern(parameter, 'parameter');
      inScope(true, false, () => {
        if (node.body.type === 'BlockStatement') for (const inner of node.body.body) walk(inner);
        else walk(node.body);
      });
    });
    within = outer;
  }

  function walkClass(node: ClassNode): void {
    if (node.type === 'ClassDeclaration' && node.id !== null && node.id !== undefined) {
      const direct = scope === moduleScope && isDirect(ancestors.slice(0, -1));
      declare(scope, { name: node.id.name, kind: 'class', direct, declaration: node });
    }
    inScope(false, false, () => {
      if (node.type === 'ClassExpression' && node.id) {
        declare(scope, { name: node.id.name, kind: 'class', direct: false, declaration: node });
      }
      if (node.superClass) walk(node.superClass);
      for (const member of node.body.body) {
        if (member.type === 'StaticBlock') {
          inScope(true, false, () => member.body.forEach(walk));
        } else {
          if (member.computed) walk(member.key);
          if (member.value) walk(member.value);
        }
      }
    });
  }

  function walk(node: AnyNode): void {
    switch (node.type) {
      case 'Literal':
      case 'TemplateElement':
        return;
      case 'Identifier':
        refer(node, false);
        return;
    }
    if (ancestors.length > maxTreeDepth) throw new TreeTooDeep(node.start);
    ancestors.push(node);
    walkParts(node);
    ancestors.pop();
  }

  function walkParts(node: AnyNode): void {
    switch (node.type) {
      case 'ObjectExpression':
        for (const property of node.properties) {
          if (property.type === 'SpreadElement') walk(property);
          else {
            if (property.computed) walk(property.key);
            if (property.value.type !== 'Literal') walk(property.value);
          }
        }
        return;
      case 'MemberExpression':
        walkMember(node);
        return;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        walkFunction(node);
        return;
      case 'ClassDeclaration':
      case 'ClassExpression':
        walkClass(node);
        return;
      case 'VariableDeclaration': {
        const kind = node.kind === 'await using' ? 'using' : node.kind;
        for (const declarator of node.declarations) {
          ancestors.push(declarator);
          declarePattern(declarator.id, kind, declarator);
          if (declarator.init) walk(declarator.init);
          ancestors.pop();
        }
        return;
      }
      case 'AssignmentExpression':
        assign(node.left);
        walk(node.right);
        return;
      case 'UpdateExpression':
        assign(node.argument);
        return;
      case 'ForInStatement':
      case 'ForOfStatement':
        if (node.type === 'ForOfStatement' && node.await && within === undefined)
          topLevelAwaits.push({ node, statement });
        inScope(false, false, () => {
          if (node.left.type === 'VariableDeclaration') walk(node.left);
          else assign(node.left);
          walk(node.right);
          walk(node.body);
        });
        return;
      case 'BlockStatement':
      case 'ForStatement':
        inScope(false, false, () => forEachPart(node, walk));
        return;
      case 'SwitchStatement':
        walk(node.discriminant);
        inScope(false, false, () => node.cases.forEach(walk));
        return;
      case 'CatchClause':
        inScope(false, false, () => {
          if (node.param) declarePattern(node.param, 'parameter');
          walk(node.body);
        });
        return;
      case 'ImportExpression':
        imports.push({ node, statement, within });
        forEachPart(node, walk);
        return;
      case 'MetaProperty':
        if (node.meta.name === 'import') metaProperties.push(node);
        return;
      case 'AwaitExpression':
        if (within === undefined) topLevelAwaits.push({ node, statement });
        walk(node.argument);
        return;
      case 'ImportDeclaration':
        for (const { local } of node.specifiers) declare(scope, { name: local.name, kind: 'import', direct: true });
        return;
      case 'ExportNamedDeclaration':
        if (node.declaration) walk(node.declaration);
        else if (!node.source)
          for (const { local } of node.specifiers) if (local.type === 'Identifier') refer(local, false);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
        return;
      default:
        forEachPart(node, walk);
    }
  }

  function walkMember(node: MemberExpression): void {
    walk(node.object);
    if (!node.computed) {
      if (node.property.type !== 'Identifier' || !watched.has(node.property.name)) return;
    } else {
      walk(node.property);
      if (node.property.type === 'Literal' && typeof node.property.value === 'number') return;
    }
    const [parent, grandparent] = [ancestors.at(-2), ancestors.at(-3)];
    members.push({ node, key: node.property, computed: node.computed, scope, parent, grandparent });
  }

  ancestors.push(program);
  for (const inner of program.body) {
    walk(inner);
    statement += 1;
  }
  for (const reference of references) reference.binding = resolve(reference.node.name, reference.scope);
  return { program, moduleScope, references, members, imports, metaProperties, topLevelAwaits };
}

function varScope(scope: Scope): Scope {
  let target = scope;
  while (!target.holdsVar && target.parent !== undefined) target = target.parent;
  return target;
}

/** True for `program > declaration` and `program > export > declaration`. */
function isDirect(ancestors: readonly AnyNode[]): boolean {
  return ancestors
    .slice(1)
    .every(({ type }) =>
      ['ExportNamedDeclaration', 'ExportDefaultDeclaration', 'VariableDeclaration', 'VariableDeclarator'].includes(
        type,
      ),
    );
}
