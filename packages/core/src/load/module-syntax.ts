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
import type { ClassNode, FunctionNode } from './syntax-children.ts';

export type BindingKind = 'const' | 'let' | 'var' | 'using' | 'function' | 'class' | 'import' | 'parameter';

/** A name that the module declares, at the top or in a scope below. */
export interface Binding {
  name: string;
  kind: BindingKind;
  /** True for names of the module itself. */
  topLevel: boolean;
  /** What gives the name its value: a declarator, a function or a class. Absent for imports and parameters. */
  declaration?: VariableDeclarator | FunctionNode | ClassNode;
  /** Indices in `program.body` of the statements that declare it: one, unless `var` repeats it. */
  statements: number[];
  /** True when the declarator stands directly in a statement of the module, so that it runs exactly once. */
  direct: boolean;
  /** True when two declarations share the name. */
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

/** A place where a name is used. */
export interface Reference {
  node: Identifier;
  parent: AnyNode;
  scope: Scope;
  /** True when the name is assigned to. */
  write: boolean;
  /** Index in `program.body`. */
  statement: number;
  /** The outermost function around it. Absent where the code runs while the module is loaded. */
  within: FunctionNode | undefined;
  /** What the name stands for; absent for globals. */
  binding: Binding | undefined;
}

/** A member whose name the security scan wants to see: `x.constructor`, `x['a' + b]`, `{ constructor } = x`. */
export interface MemberSite {
  node: MemberExpression | Property | AssignmentProperty;
  /** The node that gives the name. */
  key: AnyNode;
  computed: boolean;
  scope: Scope;
  parent: AnyNode | undefined;
  grandparent: AnyNode | undefined;
}

/** A use of `import()`. */
export interface ImportSite {
  node: ImportExpression;
  /** Index in `program.body`. */
  statement: number;
  /** The outermost function around it. */
  within: FunctionNode | undefined;
}

/** What one walk over a module finds. */
export interface ModuleSyntax {
  program: Program;
  moduleScope: Scope;
  /** Every name that is declared in any scope. A name that is not among them stands for a global wherever it is used. */
  boundNames: ReadonlySet<string>;
  references: readonly Reference[];
  members: readonly MemberSite[];
  imports: readonly ImportSite[];
  /** `import.meta`. */
  metaProperties: readonly AnyNode[];
  /** `await` outside of functions. */
  topLevelAwaits: readonly { node: AnyNode; statement: number }[];
}

/** What a name stands for in a scope; undefined for globals. */
export function resolve(name: string, scope: Scope): Binding | undefined {
  for (let inner: Scope | undefined = scope; inner !== undefined; inner = inner.parent) {
    const binding = inner.bindings?.get(name);
    if (binding !== undefined) return binding;
  }
  return undefined;
}
