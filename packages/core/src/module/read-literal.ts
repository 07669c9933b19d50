import type {
  AnyNode,
  ArrayExpression,
  BinaryExpression,
  CallExpression,
  Expression,
  MemberExpression,
  NewExpression,
  ObjectExpression,
  Property,
  TemplateLiteral,
  UnaryExpression,
  VariableDeclarator,
} from 'acorn';
import type { Binding, ModuleSyntax } from './module-syntax.ts';
import { describeNode, isFunction, isMember } from './syntax-children.ts';

/** JSON, with `undefined` as written and for holes in arrays. */
export type JsonLike = undefined | null | boolean | number | string | JsonLike[] | { [key: string]: JsonLike };

/** The value of an expression: data that may contain functions and the like. */
export type LiteralValue = JsonLike | NotData | LiteralValue[] | { [key: string]: LiteralValue };

/** A part of a literal that JSON cannot carry. */
export class NotData {
  readonly node: AnyNode;
  /** `a function`, `a regular expression`. */
  readonly what: string;

  constructor(what: string, node: AnyNode) {
    this.what = what;
    this.node = node;
  }
}

/** Thrown if the value is known only after running the module. */
export class NotReadable extends Error {
  readonly offset: number;

  constructor(node: AnyNode, reason: string) {
    super(reason);
    this.offset = node.start;
  }
}

/**
 * Reads values from the syntax tree: literals, arrays, objects, templates, `+`, unary operators, spreads, members,
 * `Object.freeze(…)`, and names of constants. It calls nothing, so values cannot change while others are read.
 */
export interface LiteralReader {
  /** The value of an expression at the top level of the module. Throws NotReadable. */
  readExpression(expression: AnyNode): LiteralValue;
  /** The value that a name has once the module has run; the same object each time. Throws NotReadable. */
  readBinding(binding: Binding): LiteralValue;
  /** Whether a top-level statement runs no code: it imports, exports, or declares functions and readable constants. */
  isInert(statement: AnyNode): boolean;
  /** Whether any object literal read so far may have a key twice. */
  hasRepeatedKeys(): boolean;
}

/** Nodes, copied parts and characters that are read. Constants made of constants could grow without end: `b = a + a`. */
const maxSteps = 2_000_000;

/** Nested constants that are followed: each costs stack frames. */
const maxDepth = 200;

/** Constructors that call no code of the module when they are given text and numbers. */
const inertConstructors = new Set(['Date', 'Map', 'RegExp', 'Set', 'URL', 'URLSearchParams']);

export function createLiteralReader({ moduleScope, program }: ModuleSyntax): LiteralReader {
  const constants = new Map<VariableDeclarator, Constant>();
  let steps = 0;
  let depth = 0;
  let repeatsKeys = false;

  function spend(count: number, node: AnyNode): void {
    steps += count;
    if (steps > maxSteps) throw new NotReadable(node, 'it takes too many steps to read');
  }

  function read(node: AnyNode): LiteralValue {
    spend(1, node);
    switch (node.type) {
      case 'Literal':
        if (node.regex) return new NotData('a regular expression', node);
        return typeof node.value === 'bigint' ? new NotData('a BigInt', node) : (node.value as JsonLike);
      case 'Identifier':
        return readName(node.name, node);
      case 'ObjectExpression':
        return readObject(node);
      case 'ArrayExpression':
        return readArray(node);
      case 'TemplateLiteral':
        return readTemplate(node);
      case 'UnaryExpression':
        return readUnary(node);
      case 'BinaryExpression':
        return readSum(node);
      case 'MemberExpression':
        return readMember(node);
      case 'CallExpression':
        return readFrozen(node);
      case 'NewExpression':
        return readInstance(node);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return new NotData('a function', node);
      case 'ClassExpression':
        if (node.superClass || node.body.body.some((part) => part.type !== 'MethodDefinition' || part.computed)) break;
        return new NotData('a class', node);
    }
    throw new NotReadable(node, `it uses ${describeNode(node)}`);
  }

  function readName(name: string, node: AnyNode): LiteralValue {
    const binding = moduleScope.bindings?.get(name);
    if (binding !== undefined) {
      const { declaration } = binding;
      if (declaration?.type === 'VariableDeclarator' && declaration.end > node.start) {
        throw new NotReadable(node, `${name} is used before it is defined`);
      }
      return readBinding(binding, node);
    }
    if (name === 'undefined') return undefined;
    if (name === 'NaN') return Number.NaN;
    if (name === 'Infinity') return Number.POSITIVE_INFINITY;
    throw new NotReadable(node, `${name} has a value only when the module runs`);
  }

  function readBinding({ name, kind, declaration }: Binding, node: AnyNode): LiteralValue {
    if (kind === 'import') throw new NotReadable(node, `${name} comes from another module`);
    if (isFunction(declaration)) return new NotData('a function', declaration);
    if (kind !== 'const' || declaration?.type !== 'VariableDeclarator' || !isPlain(declaration)) {
      throw new NotReadable(node, `${name} is not a plain constant`);
    }
    const constant = constantOf(declaration);
    if (constant.problem) throw constant.problem;
    return constant.value;
  }

  function constantOf(declaration: PlainDeclarator): Constant {
    const constant = constants.get(declaration) ?? tryToRead(declaration.init);
    constants.set(declaration, constant);
    return constant;
  }

  function tryToRead(node: AnyNode): Constant {
    const tooDeep = 'it is too deeply nested to be read';
    if (depth >= maxDepth) return { problem: new NotReadable(node, tooDeep) };
    depth += 1;
    try {
      return { value: read(node) };
    } catch (error) {
      return { problem: error instanceof NotReadable ? error : new NotReadable(node, tooDeep) };
    } finally {
      depth -= 1;
    }
  }

  function readPrimitive(node: AnyNode): string | number | boolean | null | undefined {
    const value = read(node);
    if (isPrimitive(value)) return value;
    throw new NotReadable(node, 'an object is turned into text or a number');
  }

  function readObject(node: ObjectExpression): LiteralValue {
    const object: { [key: string]: LiteralValue } = {};
    let prototype: Property | undefined;
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') {
        copyProperties(read(property.argument), object, property);
        continue;
      }
      const key = readKey(property);
      repeatsKeys ||= Object.hasOwn(object, key);
      if (property.kind !== 'init') setOwn(object, key, new NotData('a getter or a setter', property));
      else {
        const value = read(property.value);
        if (setsPrototype(property, key)) prototype = property;
        else setOwn(object, key, value);
      }
    }
    return prototype ? new NotData('an object whose `__proto__:` sets its prototype', prototype) : object;
  }

  function readKey({ key, computed }: Property): string {
    if (computed) return String(readPrimitive(key));
    return key.type === 'Identifier' ? key.name : String((key as { value?: unknown }).value);
  }

  function copyProperties(source: LiteralValue, target: { [key: string]: LiteralValue }, node: AnyNode): void {
    if (isPrimitive(source) && typeof source !== 'string') return;
    if (isPrimitive(source) || Array.isArray(source) || source instanceof NotData) {
      throw new NotReadable(node, 'a value that is not a plain object is spread into an object');
    }
    for (const [key, value] of Object.entries(source)) {
      spend(1, node);
      setOwn(target, key, withoutGetter(value, node));
    }
  }

  function readArray({ elements }: ArrayExpression): LiteralValue[] {
    const items: LiteralValue[] = [];
    for (const element of elements) {
      if (element?.type !== 'SpreadElement') {
        items.push(element === null ? undefined : read(element));
        continue;
      }
      const source = read(element.argument);
      if (typeof source !== 'string' && !Array.isArray(source)) {
        throw new NotReadable(element, 'a value that is not an array is spread into an array');
      }
      spend(source.length, element);
      for (const item of source) items.push(item);
    }
    return items;
  }

  function readTemplate(node: TemplateLiteral): string {
    let text = node.quasis[0]?.value.cooked ?? '';
    node.expressions.forEach((expression, index) => {
      text += String(readPrimitive(expression)) + (node.quasis[index + 1]?.value.cooked ?? '');
      spend(text.length / 16, node);
    });
    return text;
  }

  function readSum(node: BinaryExpression): LiteralValue {
    if (node.operator !== '+') throw new NotReadable(node, `it uses \`${node.operator}\``);
    // JavaScript's rules for mixed operands apply, so the types are set aside.
    const sum = (readPrimitive(node.left) as number) + (readPrimitive(node.right) as number);
    spend(typeof sum === 'string' ? String(sum).length / 16 : 0, node);
    return sum;
  }

  function readUnary(node: UnaryExpression): LiteralValue {
    if (node.operator === 'delete') throw new NotReadable(node, 'it uses `delete`');
    const operand = readPrimitive(node.argument);
    switch (node.operator) {
      case '-':
        return -(operand as number);
      case '+':
        return +(operand as number);
      case '~':
        return ~(operand as number);
      case '!':
        return !operand;
      case 'typeof':
        return typeof operand;
      case 'void':
        return undefined;
    }
  }

  function readMember(node: MemberExpression): LiteralValue {
    const { object: owner, property, computed } = node;
    const object = read(owner);
    const key = computed ? String(readPrimitive(property)) : property.type === 'Identifier' ? property.name : undefined;
    if (key === undefined || object === null || object === undefined || object instanceof NotData) {
      throw new NotReadable(node, 'a member is read from something that is not data');
    }
    const own = Object.getOwnPropertyDescriptor(Object(object), key);
    if (own === undefined && key in Object(object)) throw new NotReadable(node, `${key} is a built-in property`);
    return withoutGetter(own?.value, node);
  }

  /** `Object.freeze(value)` is the value. */
  function readFrozen(node: CallExpression): LiteralValue {
    const [value] = node.arguments;
    if (
      !isMember(node.callee, 'Object', 'freeze') ||
      moduleScope.bindings?.has('Object') ||
      !value ||
      value.type === 'SpreadElement'
    ) {
      throw new NotReadable(node, 'it calls a function');
    }
    return read(value);
  }

  /** `new Set([…])`, `new Map()` in constants of handlers: not data, but creating them has no effects. */
  function readInstance(node: NewExpression): LiteralValue {
    const { callee } = node;
    const isBuiltIn = callee.type === 'Identifier' && inertConstructors.has(callee.name);
    if (!isBuiltIn || moduleScope.bindings?.has(callee.name)) throw new NotReadable(node, 'it calls a constructor');
    const isCollection = callee.name === 'Map' || callee.name === 'Set';
    for (const argument of node.arguments) {
      const value = read(argument);
      // Converting an object to text, or an item to a key and a value, can run its methods.
      const isSafe = isPrimitive(value) || (isCollection && Array.isArray(value) && value.every(isPrimitiveOrArray));
      if (!isSafe) throw new NotReadable(node, 'it calls a constructor');
    }
    return new NotData('an instance made with `new`', node);
  }

  function isInert(statement: AnyNode): boolean {
    switch (statement.type) {
      case 'EmptyStatement':
      case 'ExportAllDeclaration':
      case 'FunctionDeclaration':
      case 'ImportDeclaration':
        return true;
      case 'ExpressionStatement':
        return statement.directive !== undefined;
      case 'ExportNamedDeclaration':
        return !statement.declaration || isInert(statement.declaration);
      case 'ExportDefaultDeclaration':
        return isFunction(statement.declaration) || !tryToRead(statement.declaration).problem;
      case 'VariableDeclaration':
        return (
          statement.kind === 'const' &&
          statement.declarations.every((declaration) => isPlain(declaration) && !constantOf(declaration).problem)
        );
      default:
        return false;
    }
  }

  return {
    readExpression: read,
    readBinding: (binding) => readBinding(binding, binding.declaration ?? program),
    isInert,
    hasRepeatedKeys: () => repeatsKeys,
  };
}

/** What a constant is, or why it cannot be read. */
type Constant = { value: LiteralValue; problem?: never } | { problem: NotReadable };

type PlainDeclarator = VariableDeclarator & { init: Expression };

/** `name = value`, without destructuring. */
function isPlain(declaration: VariableDeclarator): declaration is PlainDeclarator {
  return declaration.id.type === 'Identifier' && Boolean(declaration.init);
}

function isPrimitive(value: LiteralValue): value is string | number | boolean | null | undefined {
  return typeof value !== 'object' || value === null;
}

function isPrimitiveOrArray(value: LiteralValue): boolean {
  return isPrimitive(value) || Array.isArray(value);
}

/** `__proto__: value` and `'__proto__': value`, but not `['__proto__']: value`, `__proto__` alone, or a method. */
function setsPrototype({ computed, shorthand, method }: Property, key: string): boolean {
  return key === '__proto__' && !computed && !shorthand && !method;
}

/** Reading a property with a getter runs code. */
function withoutGetter(value: LiteralValue, node: AnyNode): LiteralValue {
  if (value instanceof NotData && value.node.type === 'Property') {
    throw new NotReadable(node, 'it reads a property that has a getter');
  }
  return value;
}

/** Sets an own property, also for `__proto__`, which plain assignment would take for the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
