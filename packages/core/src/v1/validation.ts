import { isMcpServer } from '../mcp/registrar.ts';
import { filterSchemas } from '../schema/filter-schemas.ts';
import { childPath } from '../schema/finding.ts';
import { type Fields, isObject } from '../schema/json.ts';
import { parseCall } from '../schema/z/call-syntax.ts';
import { convertSchema, throwValidation } from './adapted-schema.ts';

export interface Validated {
  status: boolean;
  messages: string[];
}

/** Arguments of programs in plain JavaScript: anything may be there, or missing. */
type Arguments<Key extends string> = Partial<Record<Key, unknown>>;

/** The argument checks of format 1, by method. `error` throws their messages. */
// biome-ignore lint/complexity/noStaticOnlyClass: format 1 exports a class with static methods
export class Validation {
  /** A schema by the strict rules of format 1: all keys are there, and no others. */
  static validateSchema({ schema }: Arguments<'schema'> = {}): Validated {
    const problems = schemaProblems(schema);
    if (problems.length > 0) return validated(problems);
    const conversion = convertSchema(schema);
    return validated(conversion.ok ? [] : conversion.messages);
  }

  static prepareServerTool(args: Arguments<'schema' | 'serverParams' | 'routeName'> = {}): Validated {
    return withSchema(args, ({ routes, requiredServerParams }) => [
      ...serverParamProblems(args.serverParams, requiredServerParams),
      ...routeProblems(args.routeName, routes),
    ]);
  }

  static activateServerTool(args: Arguments<'server' | 'schema' | 'serverParams' | 'routeName'> = {}): Validated {
    return validated([...serverProblems(args.server), ...Validation.prepareServerTool(args).messages]);
  }

  static activateServerTools(args: Arguments<'server' | 'schema' | 'serverParams'> = {}): Validated {
    const { messages } = withSchema(args, ({ requiredServerParams }) =>
      serverParamProblems(args.serverParams, requiredServerParams),
    );
    return validated([...serverProblems(args.server), ...messages]);
  }

  static fetch(args: Arguments<'schema' | 'userParams' | 'serverParams' | 'routeName'> = {}): Validated {
    const { userParams = {} } = args;
    const { messages } = Validation.prepareServerTool(args);
    return validated([...messages, ...(isObject(userParams) ? [] : ['userParams: Must be an object'])]);
  }

  static prepareActivations({ arrayOfSchemas, envObject }: Arguments<'arrayOfSchemas' | 'envObject'> = {}): Validated {
    return validated([
      ...Validation.filterArrayOfSchemas({ arrayOfSchemas }).messages,
      ...(isObject(envObject) ? [] : ['envObject: Must be an object']),
    ]);
  }

  static filterArrayOfSchemas(
    options: Arguments<'arrayOfSchemas' | 'includeNamespaces' | 'excludeNamespaces' | 'activateTags'> = {},
  ): Validated {
    const { findings } = filterSchemas(options as Parameters<typeof filterSchemas>[0]);
    const errors = findings.filter(({ severity }) => severity === 'error');
    return validated(errors.map(({ message }) => message));
  }

  /** Throws messages like every method of format 1. */
  static error({ messages }: { messages: readonly string[] }): never {
    return throwValidation(messages);
  }
}

function validated(messages: readonly string[]): Validated {
  return { status: messages.length === 0, messages: [...messages] };
}

/** Checks the schema, then the other arguments against it. */
function withSchema(
  { schema }: Arguments<'schema'>,
  check: (schema: { routes: object; requiredServerParams: readonly string[] }) => string[],
): Validated {
  const { status, messages } = Validation.validateSchema({ schema });
  return status ? validated(check(schema as Parameters<typeof check>[0])) : validated(messages);
}

/** Format 1 expects exactly the server parameters that the schema requires. */
function serverParamProblems(serverParams: unknown, required: readonly string[]): string[] {
  if (!isObject(serverParams)) return ['serverParams: Must be an object'];
  const unknown = Object.keys(serverParams).filter((name) => !required.includes(name));
  const missing = required.filter((name) => serverParams[name] === undefined);
  const empty = required.filter((name) => serverParams[name] !== undefined && !String(serverParams[name] ?? '').trim());
  return [
    ...missing.map((name) => `serverParams.${name}: Missing value`),
    ...empty.map((name) => `serverParams.${name}: Must not be empty`),
    ...unknown.map((name) => `serverParams.${name}: Is not required by the schema`),
  ];
}

function routeProblems(routeName: unknown, routes: object): string[] {
  if (typeof routeName !== 'string') return ['routeName: Must be text'];
  return Object.hasOwn(routes, routeName) ? [] : [`routeName: Route "${routeName}" not found in schema`];
}

function serverProblems(server: unknown): string[] {
  return isMcpServer(server) ? [] : ['server: Must be a server of the MCP SDK'];
}

const always = ['name', 'description', 'flowMCP', 'root', 'requiredServerParams', 'headers', 'routes', 'handlers'];
/** Required from 1.2.0 on. */
const since12 = ['namespace', 'docs', 'tags'];
/** Allowed before 1.2.0. */
const before12 = [...since12, 'version'];
const routeKeys = ['requestMethod', 'description', 'route', 'parameters', 'tests', 'modifiers'];

const kinds = {
  text: (value: unknown) => typeof value === 'string' && value.trim() !== '',
  texts: (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  array: Array.isArray,
  object: isObject,
} as const;

/** All other keys are text. */
const kindOfKey: Readonly<Record<string, keyof typeof kinds>> = {
  docs: 'texts',
  tags: 'texts',
  requiredServerParams: 'texts',
  headers: 'object',
  routes: 'object',
  handlers: 'object',
  parameters: 'array',
  tests: 'array',
  modifiers: 'array',
};

const article = { text: 'text', texts: 'an array of text', array: 'an array', object: 'an object' } as const;

type Say = (path: string, problem: string) => void;

/** Problems of a schema by the strict rules of format 1, as `<path>: <problem>`. */
function schemaProblems(schema: unknown): string[] {
  const problems: string[] = [];
  const say: Say = (path, problem) => void problems.push(`${path}: ${problem}`);
  if (!isObject(schema)) return ['schema: Must be an object'];
  const isNew = !/^v?1\.[01]\./.test(String(schema.flowMCP));
  const required = isNew ? [...always, ...since12] : always;
  const known = isNew ? required : [...always, ...before12];
  checkKeys(schema, required, { path: 'schema', say });
  for (const key of Object.keys(schema)) if (!known.includes(key)) say(`schema.${key}`, 'Is not a known key');
  const { flowMCP, namespace, tags } = schema;
  if (kinds.text(flowMCP) && !/^v?1\.\d+\.\d+$/.test(String(flowMCP))) say('schema.flowMCP', 'Must be a version 1.x.x');
  if (kinds.text(namespace) && !/^[a-zA-Z][a-zA-Z0-9]*$/.test(String(namespace))) {
    say('schema.namespace', 'Must start with a letter and have letters and digits only');
  }
  for (const [index, tag] of (Array.isArray(tags) ? tags : []).entries()) {
    if (!/^[A-Za-z]+(\.!?[A-Za-z]+)?$/.test(String(tag)))
      say(`schema.tags[${index}]`, 'Must be <word> or <word>.<word>');
  }
  const handlers = isObject(schema.handlers) ? schema.handlers : {};
  for (const [name, route] of Object.entries(isObject(schema.routes) ? schema.routes : {})) {
    checkRoute(route, { path: childPath('schema.routes', name), handlers, say });
  }
  return problems;
}

function checkKeys(value: Fields, keys: readonly string[], { path, say }: { path: string; say: Say }): void {
  for (const key of keys) {
    const kind = kindOfKey[key] ?? 'text';
    if (value[key] === undefined) say(`${path}.${key}`, 'Missing value');
    else if (!kinds[kind](value[key])) say(`${path}.${key}`, `Must be ${article[kind]}`);
  }
}

function checkRoute(route: unknown, { path, handlers, say }: { path: string; handlers: Fields; say: Say }): void {
  if (!isObject(route)) {
    say(path, 'Must be an object');
    return;
  }
  checkKeys(route, routeKeys, { path, say });
  const { requestMethod, parameters, modifiers } = route;
  if (kinds.text(requestMethod) && !['GET', 'POST'].includes(String(requestMethod))) {
    say(`${path}.requestMethod`, 'Must be GET or POST');
  }
  for (const [index, parameter] of (Array.isArray(parameters) ? parameters : []).entries()) {
    checkParameter(parameter, `${path}.parameters[${index}]`, say);
  }
  for (const [index, modifier] of (Array.isArray(modifiers) ? modifiers : []).entries()) {
    const { phase, handlerName } = Object(modifier) as Fields;
    const place = `${path}.modifiers[${index}]`;
    if (!['pre', 'execute', 'post'].includes(String(phase))) say(`${place}.phase`, 'Must be pre, execute or post');
    const hasHandler =
      Object.hasOwn(handlers, String(handlerName)) && typeof handlers[String(handlerName)] === 'function';
    if (!hasHandler) say(`${place}.handlerName`, `Handler "${String(handlerName)}" is not in schema.handlers`);
  }
}

function checkParameter(parameter: unknown, path: string, say: Say): void {
  const { position, z } = Object(parameter) as Fields;
  if (!isObject(position)) say(`${path}.position`, 'Must be an object');
  else {
    if (!kinds.text(position.key)) say(`${path}.position.key`, 'Must be text');
    if (position.value === undefined) say(`${path}.position.value`, 'Missing value');
    if (!['body', 'query', 'insert'].includes(String(position.location))) {
      say(`${path}.position.location`, 'Must be body, query or insert');
    }
  }
  if (z === undefined) return;
  const { primitive, options } = Object(z) as Fields;
  if (!primitives.includes(callName(primitive))) say(`${path}.z.primitive`, `Is not a known primitive: ${primitive}`);
  if (!kinds.texts(options)) say(`${path}.z.options`, 'Must be an array of text');
  for (const option of Array.isArray(options) ? options : []) {
    if (!optionNames.includes(callName(option))) say(`${path}.z.options`, `Is not a known option: ${option}`);
  }
}

const primitives: readonly string[] = ['string', 'number', 'boolean', 'object', 'enum', 'array'];
const optionNames: readonly string[] = ['min', 'max', 'length', 'regex', 'optional', 'default', 'enum'];

/** `min` of `min(1)`; empty for anything but a call. */
function callName(text: unknown): string {
  const call = typeof text === 'string' ? parseCall(text) : undefined;
  return call?.args === undefined ? '' : call.name;
}
