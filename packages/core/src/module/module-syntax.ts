import type {
  AnyNode,
  AssignmentProperty,
  Identifier,
  ImportExpression,
  MemberExpression,
  Program,
  Property,
  VariableDeclarator,
} from 'acorn';
import { type ClassNode, type FunctionNode, keyName } from './syntax-children.ts';

export type BindingKind = 'const' | 'let' | 'var' | 'using' | 'function' | 'class' | 'import' | 'parameter';

export interface Binding {
  name: string;
  kind: BindingKind;
  /** True for names of the module itself. */
  topLevel: boolean;
  /** Absent for imports and parameters. */
  declaration?: VariableDeclarator | FunctionNode | ClassNode;
  /** Indices in `program.body` of the statements that declare it. */
  statements: number[];
  /** Declared directly in a statement of the module, so that it is evaluated exactly once. */
  direct: boolean;
  /** Two declarations share the name. */
  repeated: boolean;
}

export interface Scope {
  readonly parent: Scope | undefined;
  /** Where `var` declarations land. */
  readonly holdsVar: boolean;
  /** In which `arguments` has a meaning. */
  readonly hasArguments: boolean;
  bindings: Map<string, Binding> | undefined;
}

export interface Reference {
  node: Identifier;
  parent: AnyNode;
  scope: Scope;
  /** True when the name is assigned to. */
  write: boolean;
  /** Index in `program.body`. */
  statement: number;
  /** The outermost function around it. Absent if the code runs while the module is loaded. */
  within: FunctionNode | undefined;
  /** Absent for globals. */
  binding: Binding | undefined;
}

/** A member whose name the security scan checks: `x.constructor`, `x['a' + b]`, `{ constructor } = x`. */
export interface MemberSite {
  node: MemberExpression | Property | AssignmentProperty;
  /** The node that gives the name. */
  key: AnyNode;
  computed: boolean;
  scope: Scope;
  parent: AnyNode | undefined;
  grandparent: AnyNode | undefined;
}

export interface ImportSite {
  node: ImportExpression;
  /** Index in `program.body`. */
  statement: number;
  /** The outermost function around it. */
  within: FunctionNode | undefined;
}

export interface ModuleSyntax {
  program: Program;
  moduleScope: Scope;
  references: readonly Reference[];
  members: readonly MemberSite[];
  imports: readonly ImportSite[];
  /** `import.meta`. */
  metaProperties: readonly AnyNode[];
  /** `await` outside of functions. */
  topLevelAwaits: readonly { node: AnyNode; statement: number }[];
}

/** Resolves a name in a scope; undefined for globals. */
export function resolve(name: string, scope: Scope): Binding | undefined {
  for (let inner: Scope | undefined = scope; inner !== undefined; inner = inner.parent) {
    const binding = inner.bindings?.get(name);
    if (binding !== undefined) return binding;
  }
  return undefined;
}

/** The value of a constant, or the function or class that declares a name of the module. */
export function initialiserOf(name: string, { bindings }: Scope): AnyNode | undefined {
  const declaration = bindings?.get(name)?.declaration;
  if (declaration?.type !== 'VariableDeclarator') return declaration;
  return declaration.id.type === 'Identifier' ? (declaration.init ?? undefined) : undefined;
}

export type ExportTarget =
  /** A name of the module. */
  | { kind: 'name'; local: string; node: AnyNode }
  /** `export default` of something without a name. `node` is the expression, the function or the class. */
  | { kind: 'value'; node: AnyNode; statement: number }
  /** Re-exported from another module. */
  | { kind: 'foreign'; node: AnyNode };

/** The exports of a module by name, in the order of the text. `export * from` adds nothing. */
export function readExports(program: Program): ReadonlyMap<string, ExportTarget> {
  const targets = new Map<string, ExportTarget>();
  program.body.forEach((node, statement) => {
    if (node.type === 'ExportDefaultDeclaration') {
      const { declaration } = node;
      const named =
        (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') && declaration.id;
      if (named) targets.set('default', { kind: 'name', local: named.name, node: named });
      // The value is taken when the statement runs, even if it is a name.
      else targets.set('default', { kind: 'value', node: declaration, statement });
    } else if (node.type === 'ExportAllDeclaration' && node.exported) {
      targets.set(keyName(node.exported) ?? '', { kind: 'foreign', node });
    } else if (node.type === 'ExportNamedDeclaration') {
      for (const specifier of node.specifiers) {
        const target = node.source
          ? ({ kind: 'foreign', node: specifier } as const)
          : ({ kind: 'name', local: keyName(specifier.local) ?? '', node: specifier.local } as const);
        targets.set(keyName(specifier.exported) ?? '', target);
      }
      if (node.declaration?.type === 'VariableDeclaration') {
        for (const { id } of node.declaration.declarations) addNames(id, targets);
      } else if (node.declaration) {
        const { id } = node.declaration;
        targets.set(id.name, { kind: 'name', local: id.name, node: id });
      }
    }
  });
  return targets;
}

function addNames(pattern: AnyNode, targets: Map<string, ExportTarget>): void {
  if (pattern.type === 'Identifier') targets.set(pattern.name, { kind: 'name', local: pattern.name, node: pattern });
  else if (pattern.type === 'ObjectPattern') {
    for (const part of pattern.properties) addNames(part.type === 'RestElement' ? part.argument : part.value, targets);
  } else if (pattern.type === 'ArrayPattern') {
    for (const part of pattern.elements) if (part !== null) addNames(part, targets);
  } else if (pattern.type === 'AssignmentPattern') addNames(pattern.left, targets);
  else if (pattern.type === 'RestElement') addNames(pattern.argument, targets);
}

/** The text of a constant expression such as `'con' + part`, for the security scan. Undefined if it is not constant. */
export function constantText(
  node: AnyNode,
  scope: Scope,
  budget: { steps: number } = { steps: 200 },
): string | undefined {
  // Constants made of constants could take for ever: a = b + b, b = c + c, …
  budget.steps -= 1;
  if (budget.steps < 0) return undefined;
  switch (node.type) {
    case 'Literal':
      return node.regex ? undefined : String(node.value);
    case 'TemplateLiteral': {
      let text = node.quasis[0]?.value.cooked ?? '';
      for (const [index, expression] of node.expressions.entries()) {
        const part = constantText(expression, scope, budget);
        if (part === undefined) return undefined;
        text += part + (node.quasis[index + 1]?.value.cooked ?? '');
      }
      return text;
    }
    case 'BinaryExpression': {
      if (node.operator !== '+') return undefined;
      const left = constantText(node.left, scope, budget);
      const right = left === undefined ? undefined : constantText(node.right, scope, budget);
      return left === undefined || right === undefined ? undefined : left + right;
    }
    case 'ArrayExpression':
      // A key such as `['constructor']` is turned into text.
      return node.elements.length === 1 && node.elements[0] ? constantText(node.elements[0], scope, budget) : undefined;
    case 'Identifier': {
      const declaration = resolve(node.name, scope)?.declaration;
      if (declaration?.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier' || !declaration.init)
        return undefined;
      return constantText(declaration.init, scope, budget);
    }
    default:
      return undefined;
  }
}
