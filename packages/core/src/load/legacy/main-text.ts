import type { AnyNode, ObjectExpression, Property } from 'acorn';
import { type Binding, constantText, type ExportTarget, type ModuleSyntax } from '../../module/module-syntax.ts';
import { isMember, keyName } from '../../module/syntax-children.ts';

export interface MainProperty {
  node: Property;
  /** The constant that contains it, if that has other uses, which an edit would change too. */
  sharedAs?: string;
}

/** The object literal of `main`, found through constants and `Object.freeze`. */
export interface MainText {
  /** All properties with this name, including those of spread objects. */
  propertiesNamed(key: string): MainProperty[];
  /** The same for a value in `main`. */
  propertiesIn(value: AnyNode, key: string): MainProperty[];
  /** The object literal of a value; undefined if a constant that leads to it has other uses. */
  objectOf(value: AnyNode): ObjectExpression | undefined;
  /** Nodes that name a key of `main`: `main.key`, `'key' in main`, `{ key } = main`. */
  usesOf(key: string): { key: AnyNode; shorthand: boolean }[];
  /** The initialiser of a constant whose only use is this node. */
  constantUsedOnlyAt(node: AnyNode): AnyNode | undefined;
}

/** Finds `main` in a module. Undefined if it is not an object literal. */
export function findMainText(syntax: ModuleSyntax, target: ExportTarget): MainText | undefined {
  if (target.kind === 'foreign') return undefined;
  const names = new Set<Binding>();
  const start = target.kind === 'value' ? target.node : nodeNamed(target.local);
  const object = start && follow(start, names);
  if (object?.type !== 'ObjectExpression') return undefined;

  return {
    propertiesNamed: (key) => propertiesOf(object, key),
    propertiesIn(value, key) {
      const through = new Set<Binding>();
      const inner = follow(value, through);
      if (inner?.type !== 'ObjectExpression') return [];
      return propertiesOf(inner, key).map((found) => withSharing(found, through));
    },
    objectOf(value) {
      const through = new Set<Binding>();
      const inner = follow(value, through);
      return inner?.type === 'ObjectExpression' && sharedOf(through) === undefined ? inner : undefined;
    },
    usesOf: (key) =>
      syntax.references.flatMap(({ binding, node, parent }) =>
        binding !== undefined && names.has(binding) ? keysUsed(node, parent, key) : [],
      ),
    constantUsedOnlyAt(node) {
      const binding = bindingAt(node);
      return binding && usesOfBinding(binding) === 1 ? initialiserOf(binding) : undefined;
    },
  };

  function nodeNamed(name: string): AnyNode | undefined {
    const binding = syntax.moduleScope.bindings?.get(name);
    if (binding === undefined) return undefined;
    names.add(binding);
    return initialiserOf(binding);
  }

  /** Follows names of constants and `Object.freeze(…)`. */
  function follow(from: AnyNode, through: Set<Binding>): AnyNode | undefined {
    let node: AnyNode | undefined = from;
    for (let steps = 0; steps < 20; steps += 1) {
      if (node?.type === 'Identifier') {
        const binding = bindingAt(node);
        if (binding === undefined) return undefined;
        through.add(binding);
        node = initialiserOf(binding);
      } else if (node?.type === 'CallExpression' && isMember(node.callee, 'Object', 'freeze')) node = node.arguments[0];
      else return node;
    }
    return undefined;
  }

  function propertiesOf(from: ObjectExpression, key: string, around: readonly AnyNode[] = []): MainProperty[] {
    // Constants that are spread into each other.
    if (around.includes(from)) return [];
    return from.properties.flatMap((property): MainProperty[] => {
      if (property.type !== 'SpreadElement') return nameOf(property) === key ? [{ node: property }] : [];
      const through = new Set<Binding>();
      const source = follow(property.argument, through);
      if (source?.type !== 'ObjectExpression') return [];
      return propertiesOf(source, key, [...around, from]).map((found) => withSharing(found, through));
    });
  }

  function withSharing(found: MainProperty, through: ReadonlySet<Binding>): MainProperty {
    const shared = sharedOf(through);
    return shared ? { ...found, sharedAs: shared.name } : found;
  }

  function sharedOf(through: ReadonlySet<Binding>): Binding | undefined {
    return [...through].find((binding) => usesOfBinding(binding) > 1);
  }

  function nameOf({ key, computed }: Property): string | undefined {
    return computed ? constantText(key, syntax.moduleScope) : keyName(key);
  }

  function bindingAt(node: AnyNode): Binding | undefined {
    return syntax.references.find((reference) => reference.node === node)?.binding;
  }

  /** Includes its export. */
  function usesOfBinding(binding: Binding): number {
    const isExported = binding.statements.some(
      (index) => syntax.program.body[index]?.type === 'ExportNamedDeclaration',
    );
    return syntax.references.filter((reference) => reference.binding === binding).length + (isExported ? 1 : 0);
  }

  /** The value of a name that is never reassigned. */
  function initialiserOf(binding: Binding): AnyNode | undefined {
    const { declaration, repeated } = binding;
    if (declaration?.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier' || repeated)
      return undefined;
    const isWritten = syntax.references.some((reference) => reference.binding === binding && reference.write);
    return isWritten ? undefined : (declaration.init ?? undefined);
  }
}

/** The nodes that name a key of the object at `node`: `node.key`, `node['key']`, `'key' in node`, `{ key } = node`. */
function keysUsed(node: AnyNode, parent: AnyNode, key: string): { key: AnyNode; shorthand: boolean }[] {
  switch (parent.type) {
    case 'MemberExpression': {
      const { property, computed } = parent;
      const isKey = parent.object === node && (computed ? isText(property, key) : isNamed(property, key));
      return isKey ? [{ key: property, shorthand: false }] : [];
    }
    case 'BinaryExpression': {
      const isKey = parent.operator === 'in' && parent.right === node && isText(parent.left, key);
      return isKey ? [{ key: parent.left, shorthand: false }] : [];
    }
    case 'VariableDeclarator':
      return parent.init === node ? keysInPattern(parent.id, key) : [];
    case 'AssignmentExpression':
      return parent.right === node ? keysInPattern(parent.left, key) : [];
    default:
      return [];
  }
}

function keysInPattern(pattern: AnyNode, key: string): { key: AnyNode; shorthand: boolean }[] {
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property) =>
    property.type === 'Property' && !property.computed && isNamed(property.key, key)
      ? [{ key: property.key, shorthand: property.shorthand }]
      : [],
  );
}

function isNamed(node: AnyNode, name: string): boolean {
  return node.type === 'Identifier' ? node.name === name : isText(node, name);
}

function isText(node: AnyNode, text: string): boolean {
  if (node.type !== 'TemplateLiteral') return node.type === 'Literal' && node.value === text;
  return node.expressions.length === 0 && node.quasis[0]?.value.cooked === text;
}
