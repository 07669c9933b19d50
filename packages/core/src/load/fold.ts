import type {
  AnyNode, ArrayExpression, BinaryExpression, CallExpression, Expression, Identifier, MemberExpression, NewExpression,
  ObjectExpression, Pattern, SpreadElement, Super, TemplateLiteral, VariableDeclarator,
} from 'acorn';
import { foldBinary, foldUnary } from './fold-operators.ts';
import {
  type Folded, type FoldedFunction, foldedFunction, foldedOpaque, isFoldedFunction, isFoldedObject, isNotData,
  isPrimitive, type Locals, measure, setOwn,
} from './folded-value.ts';
import type { Binding, ModuleSyntax } from './module-syntax.ts';
import { NotFoldable, needsEvaluation, wouldThrow } from './not-foldable.ts';
import {
  arrayMethods, arrayMethodsInPlace, freshArrayMethods, globalFunctions, numberMethods, setMethods, staticConstants,
  staticFunctions, stringMethods,
} from './pure-builtins.ts';
import { isFunction } from './syntax-children.ts';

/** Reads values from the syntax tree of one module. What was read is kept. */
export interface Folder {
  /**
   * The value of an expression that stands at `now` in the module's own code.
   * @throws NotFoldable
   */
  foldAt(expression: AnyNode, now: number): Folded;
  /**
   * The value that a name of the module has once the module has run.
   * @throws NotFoldable
   */
  foldBinding(binding: Binding): Folded;
  /** The names that values were taken from so far, directly or through others. */
  readonly used: ReadonlySet<Binding>;
  /** Whether a built-in function was called so far. */
  callsBuiltins(): boolean;
}

const maxSteps = 2_000_000;
const maxCalls = 60;
const maxText = 4 * 1024 * 1024;
const maxArrayLength = 100_000;

const unset = Symbol('declared, but not yet set');
const shortCircuit = Symbol('the rest of an optional chain is left out');
const notReturned = Symbol('the function goes on');

type LocalNames = Map<string, Folded | typeof unset>;
interface Frame extends Locals {
  readonly names: Map<string, Folded>;
}

/** Makes a folder. A module that never uses the value of an expression never has it folded. */
export function createFolder(syntax: ModuleSyntax): Folder {
  const values = new Map<VariableDeclarator, Map<string, Folded>>();
  const functions = new Map<AnyNode, Folded>();
  const used = new Set<Binding>();
  const holey = new Set<object>();
  let hasCalledBuiltin = false;
  let steps = 0;
  let calls = 0;
  /** Where the module's own code stands: later declarations have no value yet. */
  let now = 0;

  function foldAt(expression: AnyNode, offset: number): Folded {
    const outer = now;
    now = offset;
    try {
      return fold(expression, undefined);
    } finally {
      now = outer;
    }
  }

  function foldBinding(binding: Binding): Folded {
    const outer = now;
    now = Number.POSITIVE_INFINITY;
    try {
      return readBinding(binding, syntax.program);
    } finally {
      now = outer;
    }
  }

  function readBinding(binding: Binding, node: AnyNode): Folded {
    used.add(binding);
    const { declaration, name } = binding;
    if (binding.kind === 'import') needsEvaluation(node, `${name} comes from another module`);
    if (declaration === undefined || !binding.direct || binding.repeated || binding.kind === 'using') {
      return needsEvaluation(node, `${name} is not a plain constant`);
    }
    if (isFunction(declaration)) return memoised(declaration, () => foldedFunction(declaration, undefined));
    if (declaration.end > now) {
      if (binding.kind === 'var') needsEvaluation(node, `${name} is used before it has its value`);
      return wouldThrow(node, `${name} is used before it is defined`);
    }
    if (declaration.type !== 'VariableDeclarator') return memoised(declaration, () => foldedOpaque(declaration, 'a class'));
    let names = values.get(declaration);
    if (names === undefined) {
      names = new Map();
      const given = names;
      const value = declaration.init ? foldAt(declaration.init, declaration.start) : undefined;
      bindPattern(declaration.id, value, undefined, (key, part) => given.set(key, part));
      values.set(declaration, names);
    }
    return names.get(name);
  }

  function memoised(node: AnyNode, make: () => Folded): Folded {
    const value = functions.get(node) ?? make();
    functions.set(node, value);
    return value;
  }

  function fold(node: AnyNode, locals: Locals | undefined): Folded {
    steps += 1;
    if (steps > maxSteps) needsEvaluation(node, 'it takes too many steps to read');
    switch (node.type) {
      case 'Literal':
        if (node.regex) return foldedOpaque(node, 'a regular expression');
        if (typeof node.value === 'bigint') return foldedOpaque(node, 'a BigInt');
        return node.value as string | number | boolean | null;
      case 'Identifier':
        return foldName(node, locals);
      case 'ObjectExpression':
        return foldObject(node, locals);
      case 'ArrayExpression':
        return foldArray(node, locals);
      case 'TemplateLiteral':
        return foldTemplate(node, locals);
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
        if (isNotData(operand)) return needsEvaluation(node, `\`${node.operator}\` is applied to something that is not data`);
        const result = foldUnary(node.operator, operand);
        return result === undefined ? needsEvaluation(node, `\`${node.operator}\` is applied to an object`) : result.value;
      }
      case 'BinaryExpression':
        return foldOperands(node, locals);
      case 'LogicalExpression': {
        const left = fold(node.left, locals);
        if (node.operator === '??') return left === null || left === undefined ? fold(node.right, locals) : left;
        return (node.operator === '||') === Boolean(left) ? left : fold(node.right, locals);
      }
      case 'ConditionalExpression':
        return fold(fold(node.test, locals) ? node.consequent : node.alternate, locals);
      case 'SequenceExpression':
        return node.expressions.map((part) => fold(part, locals)).at(-1);
      case 'ParenthesizedExpression':
        return fold(node.expression, locals);
      case 'ChainExpression': {
        const value = foldLink(node.expression, locals);
        return value === shortCircuit ? undefined : value;
      }
      case 'MemberExpression':
      case 'CallExpression': {
        const value = foldLink(node, locals);
        return value === shortCircuit ? undefined : value;
      }
      case 'NewExpression':
        return foldNew(node, locals);
      case 'TaggedTemplateExpression':
        if (isGlobalMember(node.tag, 'String', 'raw', locals)) {
          const raw = node.quasi.quasis.map((quasi) => quasi.value.raw);
          return joinTemplate(raw, node.quasi, locals);
        }
        return needsEvaluation(node, 'a tagged template calls a function');
      case 'AssignmentExpression':
      case 'UpdateExpression':
        return needsEvaluation(node, 'an assignment stands inside the value');
      default:
        return needsEvaluation(node, `it uses ${describe(node)}`);
    }
  }

  function foldName(node: Identifier, locals: Locals | undefined): Folded {
    for (let frame = locals; frame !== undefined; frame = frame.parent) {
      const names: LocalNames = frame.names;
      const value = names.get(node.name);
      if (value === unset) return wouldThrow(node, `${node.name} is used before it is defined`);
      if (value !== undefined || names.has(node.name)) return value;
    }
    const binding = syntax.moduleScope.bindings?.get(node.name);
    if (binding !== undefined) return readBinding(binding, node);
    if (node.name === 'undefined') return undefined;
    if (node.name === 'NaN') return Number.NaN;
    if (node.name === 'Infinity') return Number.POSITIVE_INFINITY;
    return needsEvaluation(node, `${node.name} has a value only when the module runs`);
  }

  function foldObject(node: ObjectExpression, locals: Locals | undefined): Folded {
    const object: { [key: string]: Folded } = {};
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') {
        const source = fold(property.argument, locals);
        if (isNotData(source) || source instanceof Set) needsEvaluation(property, 'something that is not data is spread');
        copyOwn(source, object, property);
        continue;
      }
      const { key: name } = property;
      const key =
        !property.computed && name.type === 'Identifier'
          ? name.name
          : !property.computed && name.type === 'Literal'
            ? String(name.value)
            : keyOf(fold(name, locals), name);
      if (property.kind !== 'init') setOwn(object, key, foldedOpaque(property, 'a getter or a setter'));
      else if (key === '__proto__' && !property.computed && !property.shorthand && !property.method) {
        wouldBeWrong(property, '`__proto__:` sets the prototype instead of a key');
      } else setOwn(object, key, fold(property.value, locals));
    }
    return object;
  }

  function wouldBeWrong(node: AnyNode, reason: string): never {
    throw new NotFoldable('invalid', reason, node);
  }

  function copyOwn(source: Folded, target: { [key: string]: Folded }, node: AnyNode): void {
    if (typeof source !== 'object' && typeof source !== 'string') return;
    for (const [key, value] of Object.entries(source ?? {})) setOwn(target, key, readable(value, node));
  }

  /** A getter's value is not known, only that there is one. */
  function readable(value: Folded, node: AnyNode): Folded {
    if (isNotData(value) && value.kind === 'opaque' && value.node.type === 'Property') {
      needsEvaluation(node, 'it reads a property that has a getter');
    }
    return value;
  }

  function foldArray(node: ArrayExpression, locals: Locals | undefined): Folded[] {
    const array = foldList(node.elements, locals);
    if (node.elements.includes(null)) holey.add(array);
    return array;
  }

  function foldList(nodes: readonly (Expression | SpreadElement | null)[], locals: Locals | undefined): Folded[] {
    const list: Folded[] = [];
    for (const node of nodes) {
      if (node === null) list.push(undefined);
      else if (node.type !== 'SpreadElement') list.push(fold(node, locals));
      else for (const item of iterate(fold(node.argument, locals), node)) list.push(item);
      if (list.length > maxArrayLength) needsEvaluation(node ?? syntax.program, 'the array is too long to be read');
    }
    return list;
  }

  function iterate(value: Folded, node: AnyNode): Iterable<Folded> {
    if (typeof value === 'string' || Array.isArray(value) || value instanceof Set) return value;
    if (isNotData(value)) return needsEvaluation(node, 'something that is not data is spread');
    return wouldThrow(node, 'what is spread is not iterable');
  }

  function foldTemplate(node: TemplateLiteral, locals: Locals | undefined): string {
    const texts = node.quasis.map((quasi) => quasi.value.cooked ?? '');
    return joinTemplate(texts, node, locals);
  }

  function joinTemplate(texts: readonly string[], node: TemplateLiteral, locals: Locals | undefined): string {
    let text = texts[0] ?? '';
    node.expressions.forEach((expression, index) => {
      const value = fold(expression, locals);
      if (!isPrimitive(value)) spendOn(value, expression);
      text += native(expression, () => String(value)) + (texts[index + 1] ?? '');
      checkLength(text, node);
    });
    return text;
  }

  /** Left-leaning chains (`a + b + c + …`) are folded without recursion. */
  function foldOperands(node: BinaryExpression, locals: Locals | undefined): Folded {
    const chain: BinaryExpression[] = [node];
    let first = node.left;
    while (first.type === 'BinaryExpression') {
      chain.push(first);
      first = first.left;
    }
    let value = fold(first, locals);
    for (const step of chain.reverse()) {
      const right = fold(step.right, locals);
      if (isNotData(value) || isNotData(right)) needsEvaluation(step, 'it compares or joins something that is not data');
      const result = foldBinary(step.operator, value, right);
      if (result === undefined) return needsEvaluation(step, `\`${step.operator}\` is applied to an object`);
      value = result.value;
      if (typeof value === 'string') checkLength(value, step);
    }
    return value;
  }

  function foldLink(node: Expression, locals: Locals | undefined): Folded | typeof shortCircuit {
    if (node.type === 'MemberExpression') return foldMember(node, locals);
    if (node.type === 'CallExpression') return foldCall(node, locals);
    return fold(node, locals);
  }

  function foldMember(node: MemberExpression, locals: Locals | undefined): Folded | typeof shortCircuit {
    const constant = globalConstant(node, locals);
    if (constant !== undefined) return constant;
    const object = foldObjectOf(node.object, locals);
    if (object === shortCircuit) return shortCircuit;
    if (node.optional && (object === null || object === undefined)) return shortCircuit;
    return readMember(object, memberKey(node, locals), node);
  }

  function foldObjectOf(node: Expression | Super, locals: Locals | undefined): Folded | typeof shortCircuit {
    return node.type === 'Super' ? needsEvaluation(node, 'it uses `super`') : foldLink(node, locals);
  }

  function memberKey(node: MemberExpression, locals: Locals | undefined): string {
    if (node.computed) return keyOf(fold(node.property, locals), node.property);
    return node.property.type === 'Identifier' ? node.property.name : needsEvaluation(node, 'it uses a private name');
  }

  function keyOf(value: Folded, node: AnyNode): string {
    return isPrimitive(value) ? String(value) : needsEvaluation(node, 'a key is computed from an object');
  }

  function readMember(object: Folded, key: string, node: AnyNode): Folded {
    if (object === null || object === undefined) return wouldThrow(node, `${key} is read from ${object}`);
    if (isNotData(object)) return needsEvaluation(node, `${key} is read from something that is not data`);
    if (object instanceof Set) return key === 'size' ? object.size : needsEvaluation(node, `${key} is read from a Set`);
    const own = Object.getOwnPropertyDescriptor(Object(object), key);
    if (own !== undefined) return readable(own.value, node);
    if (key in Object(object)) return needsEvaluation(node, `${key} is a built-in property`);
    return undefined;
  }

  function foldCall(node: CallExpression, locals: Locals | undefined): Folded | typeof shortCircuit {
    const { callee } = node;
    if (callee.type === 'Super') return needsEvaluation(node, 'it uses `super`');
    if (callee.type === 'Identifier' && isGlobal(callee.name, locals)) {
      const builtin = Object.hasOwn(globalFunctions, callee.name) ? globalFunctions[callee.name] : undefined;
      if (builtin === undefined) return needsEvaluation(node, `it calls ${callee.name}`);
      return callBuiltin(builtin, undefined, foldArguments(node, locals), node);
    }
    if (callee.type === 'MemberExpression') {
      const static_ = staticFunction(callee, locals);
      if (static_ !== undefined) return callStatic(static_, node, locals);
      const object = foldObjectOf(callee.object, locals);
      if (object === shortCircuit) return shortCircuit;
      if (callee.optional && (object === null || object === undefined)) return shortCircuit;
      return callMethod(object, memberKey(callee, locals), node, locals);
    }
    const target = foldLink(callee, locals);
    if (target === shortCircuit) return shortCircuit;
    if (node.optional && (target === null || target === undefined)) return shortCircuit;
    if (isFoldedFunction(target)) return apply(target, foldArguments(node, locals), node);
    return needsEvaluation(node, 'it calls a function that is not known');
  }

  function foldArguments(node: CallExpression | NewExpression, locals: Locals | undefined): Folded[] {
    return foldList(
      node.arguments.map((argument) => {
        // `list.map(String)`: a built-in function as a value is only known where it is passed on.
        const builtin = argument.type === 'Identifier' && isGlobal(argument.name, locals);
        return builtin && Object.hasOwn(globalFunctions, argument.name) ? null : argument;
      }),
      locals,
    );
  }

  function callMethod(object: Folded, name: string, node: CallExpression, locals: Locals | undefined): Folded | typeof shortCircuit {
    if (object === null || object === undefined) return wouldThrow(node, `${name} is called on ${object}`);
    if (isNotData(object)) return needsEvaluation(node, `${name} is called on something that is not data`);
    if (isFoldedObject(object) && Object.hasOwn(object, name)) {
      const method = object[name];
      if (isFoldedFunction(method)) return apply(method, foldArguments(node, locals), node);
    }
    const { callee } = node;
    const receiver = callee.type === 'MemberExpression' ? callee.object : callee;
    if (node.optional || !isPureMethod(object, name, receiver)) return needsEvaluation(node, `it calls ${name}`);
    if (typeof object === 'object' && isHoley(object)) return needsEvaluation(node, 'it calls a method of an array with holes');
    const method: unknown = Reflect.get(Object(object), name);
    if (typeof method !== 'function') return wouldThrow(node, `${name} is not a function`);
    return callBuiltin(method as (...values: never[]) => unknown, object, foldArguments(node, locals), node, locals);
  }

  function isHoley(value: Folded): boolean {
    return Array.isArray(value) && (holey.has(value) || value.some((item) => Array.isArray(item) && holey.has(item)));
  }

  function isPureMethod(object: Folded, name: string, receiver: AnyNode): boolean {
    if (Array.isArray(object)) return arrayMethods.has(name) || (arrayMethodsInPlace.has(name) && isFreshArray(receiver));
    if (object instanceof Set) return setMethods.has(name);
    if (typeof object === 'string') return stringMethods.has(name);
    return typeof object === 'number' && numberMethods.has(name);
  }

  function callStatic(
    { owner, name, target }: { owner: string; name: string; target: (...values: never[]) => unknown },
    node: CallExpression,
    locals: Locals | undefined,
  ): Folded {
    const values = foldArguments(node, locals);
    if (owner === 'Object' && name === 'assign') {
      if (node.arguments[0]?.type !== 'ObjectExpression') return needsEvaluation(node, 'Object.assign changes its first argument');
      // Unlike spread, Object.assign would set the prototype.
      if (values.some((value) => isFoldedObject(value) && Object.hasOwn(value, '__proto__'))) {
        return needsEvaluation(node, 'Object.assign meets a key named __proto__');
      }
    }
    const [first] = values;
    if (owner === 'Array' && name === 'from' && isFoldedObject(first)) {
      if (!(Number(first.length) <= maxArrayLength)) needsEvaluation(node, 'the array is too long to be read');
    }
    return callBuiltin(target, undefined, values, node, locals);
  }

  function callBuiltin(
    target: (...values: never[]) => unknown,
    receiver: Folded,
    values: Folded[],
    node: CallExpression,
    locals?: Locals,
  ): Folded {
    hasCalledBuiltin = true;
    if (!(receiver instanceof Set)) spendOn(receiver, node);
    const given = values.map((value, index) => {
      const argument = node.arguments[index];
      if (value === undefined && argument?.type === 'Identifier' && isGlobal(argument.name, locals)) {
        if (Object.hasOwn(globalFunctions, argument.name)) return globalFunctions[argument.name];
      }
      if (isFoldedFunction(value)) return (...inner: Folded[]) => apply(value, inner, node);
      if (!(value instanceof Set)) spendOn(value, node);
      if (isHoley(value)) needsEvaluation(node, 'an array with holes is passed on');
      return value;
    });
    checkBound(target.name, receiver, given, node);
    const result = native(node, () => Reflect.apply(target, receiver, given as never[])) as Folded;
    if (typeof result === 'string') checkLength(result, node);
    return result;
  }

  /** Runs built-in code; what it throws, the module would throw too. */
  function native<Result>(node: AnyNode, run: () => Result): Result {
    try {
      return run();
    } catch (error) {
      if (error instanceof NotFoldable) throw error;
      return wouldThrow(node, error instanceof Error ? error.message : String(error));
    }
  }

  /** Text can grow by multiplication; this stops it before it is made. */
  function checkBound(name: string, receiver: Folded, values: readonly unknown[], node: AnyNode): void {
    const sizes = values.map((value) => (typeof value === 'string' ? value.length : typeof value === 'number' ? value : 1));
    const own = typeof receiver === 'string' || Array.isArray(receiver) ? receiver.length : 1;
    const [first = 1, second = 1] = sizes;
    const bound =
      name === 'repeat' ? own * first
      : name === 'padEnd' || name === 'padStart' ? first
      : name === 'replaceAll' ? (own + 1) * (second + 1)
      : name === 'join' ? own * first
      : 0;
    if (bound > maxText) needsEvaluation(node, `the text that ${name} makes is too long`);
  }

  function checkLength(text: string, node: AnyNode): void {
    if (text.length > maxText) needsEvaluation(node, 'the text is too long to be read');
  }

  /** Counts what a built-in function will look at, and refuses to hand it what is no data. */
  function spendOn(value: Folded, node: AnyNode): void {
    if (isPrimitive(value)) return;
    const measured = measure(value);
    if (measured.status === 'not-data') needsEvaluation(node, `a built-in function is given ${measured.what}`);
    else steps += measured.parts;
  }

  function foldNew(node: NewExpression, locals: Locals | undefined): Folded {
    const { callee } = node;
    if (callee.type === 'Identifier' && callee.name === 'Set' && isGlobal('Set', locals) && node.arguments.length < 2) {
      hasCalledBuiltin = true;
      const [items = []] = foldList(node.arguments, locals);
      return new Set(iterate(items ?? [], node));
    }
    return foldedOpaque(node, 'an instance made with `new`');
  }

  function apply(target: FoldedFunction, values: readonly Folded[], node: AnyNode): Folded {
    const { node: definition } = target;
    if (definition.async || definition.generator) return needsEvaluation(node, 'it calls an async function or a generator');
    calls += 1;
    if (calls > maxCalls) needsEvaluation(node, 'it calls functions inside functions too deeply');
    const frame: Frame = { names: new Map(), parent: target.locals };
    if (definition.type === 'FunctionExpression' && definition.id) frame.names.set(definition.id.name, target);
    const rest = definition.params.map((parameter, index) =>
      parameter.type === 'RestElement' ? values.slice(index) : values[index],
    );
    for (const parameter of definition.params) markUnset(parameter, frame.names);
    definition.params.forEach((parameter, index) => {
      const pattern = parameter.type === 'RestElement' ? parameter.argument : parameter;
      bindPattern(pattern, rest[index], frame, (name, value) => frame.names.set(name, value));
    });
    const { body } = definition;
    const result = body.type === 'BlockStatement' ? foldBlock(body.body, frame) : fold(body, frame);
    calls -= 1;
    return result === notReturned ? undefined : result;
  }

  function foldBlock(statements: readonly AnyNode[], outer: Locals): Folded | typeof notReturned {
    const frame: Frame = { names: new Map(), parent: outer };
    for (const statement of statements) {
      if (statement.type === 'VariableDeclaration') {
        if (statement.kind !== 'const' && statement.kind !== 'let') needsEvaluation(statement, `it uses ${statement.kind}`);
        for (const { id } of statement.declarations) markUnset(id, frame.names);
      } else if (statement.type === 'FunctionDeclaration' && statement.id) {
        frame.names.set(statement.id.name, foldedFunction(statement, frame));
      }
    }
    for (const statement of statements) {
      const result = foldStatement(statement, frame);
      if (result !== notReturned) return result;
    }
    return notReturned;
  }

  function foldStatement(node: AnyNode, frame: Frame): Folded | typeof notReturned {
    steps += 1;
    switch (node.type) {
      case 'ReturnStatement':
        return node.argument ? fold(node.argument, frame) : undefined;
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) {
          const value = init ? fold(init, frame) : undefined;
          bindPattern(id, value, frame, (name, part) => frame.names.set(name, part));
        }
        return notReturned;
      case 'IfStatement': {
        const branch = fold(node.test, frame) ? node.consequent : node.alternate;
        return branch ? foldStatement(branch, frame) : notReturned;
      }
      case 'BlockStatement':
        return foldBlock(node.body, frame);
      case 'FunctionDeclaration':
      case 'EmptyStatement':
        return notReturned;
      default:
        return needsEvaluation(node, `a function that it calls uses ${describe(node)}`);
    }
  }

  function bindPattern(pattern: Pattern, value: Folded, locals: Locals | undefined, set: (name: string, value: Folded) => void): void {
    switch (pattern.type) {
      case 'Identifier':
        set(pattern.name, value);
        return;
      case 'AssignmentPattern':
        bindPattern(pattern.left, value === undefined ? fold(pattern.right, locals) : value, locals, set);
        return;
      case 'ArrayPattern': {
        const items = [...iterate(value, pattern)];
        pattern.elements.forEach((element, index) => {
          if (element?.type === 'RestElement') bindPattern(element.argument, items.slice(index), locals, set);
          else if (element !== null) bindPattern(element, items[index], locals, set);
        });
        return;
      }
      case 'ObjectPattern': {
        if (value === null || value === undefined) wouldThrow(pattern, `${value} is destructured`);
        const taken = new Set<string>();
        for (const property of pattern.properties) {
          if (property.type === 'RestElement') {
            if (!isFoldedObject(value)) needsEvaluation(property, 'the rest of something that is not an object is taken');
            const rest: { [key: string]: Folded } = {};
            for (const [key, part] of Object.entries(value)) if (!taken.has(key)) setOwn(rest, key, readable(part, property));
            bindPattern(property.argument, rest, locals, set);
            continue;
          }
          const { key: name } = property;
          const key = !property.computed && name.type === 'Identifier' ? name.name : keyOf(fold(name, locals), name);
          taken.add(key);
          bindPattern(property.value, readMember(value, key, property), locals, set);
        }
        return;
      }
      default:
        needsEvaluation(pattern, 'an assignment stands inside the value');
    }
  }

  function isGlobal(name: string, locals: Locals | undefined): boolean {
    for (let frame = locals; frame !== undefined; frame = frame.parent) if (frame.names.has(name)) return false;
    return !syntax.moduleScope.bindings?.has(name);
  }

  function isGlobalMember(node: AnyNode, owner: string, name: string, locals: Locals | undefined): boolean {
    const member = memberOfGlobal(node, locals);
    return member?.owner === owner && member.name === name;
  }

  function memberOfGlobal(node: AnyNode, locals: Locals | undefined): { owner: string; name: string } | undefined {
    if (node.type !== 'MemberExpression' || node.computed) return undefined;
    if (node.object.type !== 'Identifier' || node.property.type !== 'Identifier') return undefined;
    return isGlobal(node.object.name, locals) ? { owner: node.object.name, name: node.property.name } : undefined;
  }

  function globalConstant(node: MemberExpression, locals: Locals | undefined): number | undefined {
    const member = memberOfGlobal(node, locals);
    return member && Object.hasOwn(staticConstants, member.owner) ? staticConstants[member.owner]?.[member.name] : undefined;
  }

  function staticFunction(node: MemberExpression, locals: Locals | undefined) {
    const member = memberOfGlobal(node, locals);
    if (member === undefined || !Object.hasOwn(staticFunctions, member.owner)) return undefined;
    const functionsOfOwner = staticFunctions[member.owner] ?? {};
    const target = Object.hasOwn(functionsOfOwner, member.name) ? functionsOfOwner[member.name] : undefined;
    return target && { ...member, target };
  }

  // No getter here: V8 would keep the closure, and with it the whole tree, with the shape of the object.
  return { foldAt, foldBinding, used, callsBuiltins: () => hasCalledBuiltin };
}

/** Whether an expression makes an array that nothing else holds. */
function isFreshArray(node: AnyNode): boolean {
  if (node.type === 'ArrayExpression') return true;
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { property } = node.callee;
  return property.type === 'Identifier' && freshArrayMethods.has(property.name);
}

function markUnset(pattern: AnyNode, names: LocalNames): void {
  if (pattern.type === 'Identifier') names.set(pattern.name, unset);
  else if (pattern.type === 'AssignmentPattern') markUnset(pattern.left, names);
  else if (pattern.type === 'RestElement') markUnset(pattern.argument, names);
  else if (pattern.type === 'ArrayPattern') {
    for (const element of pattern.elements) if (element !== null) markUnset(element, names);
  } else if (pattern.type === 'ObjectPattern') {
    for (const property of pattern.properties) {
      markUnset(property.type === 'RestElement' ? property.argument : property.value, names);
    }
  }
}

const wording: Readonly<Record<string, string>> = {
  AwaitExpression: '`await`',
  ForInStatement: 'a loop',
  ForOfStatement: 'a loop',
  ForStatement: 'a loop',
  ImportExpression: '`import()`',
  MetaProperty: '`import.meta`',
  ThisExpression: '`this`',
  WhileStatement: 'a loop',
  YieldExpression: '`yield`',
};

function describe(node: AnyNode): string {
  return wording[node.type] ?? `a construct that only running the module can tell (${node.type})`;
}
