import { checkArguments } from '../arguments.ts';
import {
  type CheckResult,
  checkResult,
  childPath,
  type Finding,
  messageOf,
  type Report,
  type Result,
} from '../finding.ts';
import { ruleFinding } from '../finding-codes.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { type RuleReport, ruleReport } from '../rule-report.ts';
import { textField } from '../rules/fields.ts';
import { serverParamName, splitPlaceholders } from '../template.ts';
import { parseCall, splitList, unquote } from '../z/call-syntax.ts';
import {
  createLegacyHandlers,
  type HookPlan,
  type LegacyHooks,
  parseHookPlan,
  toLegacyData,
} from './legacy-handlers.ts';

/** A format 1 schema as the two exports of format 3. `main` is null if the schema could not be converted. */
export type AdaptedLegacy = Result<LegacyExports & { main: JsonObject }, LegacyExports & { main: JsonObject | null }>;

interface LegacyExports {
  /** For `createHandlers`; null if no handler runs. */
  handlersFn: (() => Record<string, LegacyHooks>) | null;
  hasHandlers: boolean;
  warnings: string[];
}

/**
 * Converts a format 1 schema. `main` is plain data of version 3.0.0; its handlers become hooks that run as in format 1,
 * in the caller's process. Never throws, and does not change the schema.
 */
export function adaptLegacy({ legacySchema }: { legacySchema?: unknown } = {}): AdaptedLegacy {
  const findings = checkArguments('adaptLegacy', { legacySchema }, { legacySchema: 'object' });
  const data = findings.length > 0 ? undefined : parseData(legacySchema, findings);
  if (data === undefined)
    return { ...report(findings), status: false, main: null, handlersFn: null, hasHandlers: false };
  const { main, plans } = adaptMain(data, (finding) => findings.push(finding));
  const hasHandlers = plans.length > 0;
  const handlersFn = hasHandlers ? () => createLegacyHandlers(legacySchema, plans) : null;
  return { ...report(findings), main, handlersFn, hasHandlers };
}

function parseData(legacySchema: unknown, findings: Finding[]): JsonObject | undefined {
  try {
    const data = toLegacyData(legacySchema);
    if (data !== undefined) return data;
  } catch (error) {
    findings.push(
      ruleFinding('LEG007', 'schema', `the schema must be plain data apart from its handlers: ${messageOf(error)}`),
    );
  }
  return undefined;
}

function report(findings: readonly Finding[]): CheckResult & { warnings: string[] } {
  const warnings = findings.filter(({ severity }) => severity === 'warning').map(({ message }) => message);
  return { ...checkResult(findings), warnings };
}

export interface AdaptedMain {
  main: JsonObject;
  plans: HookPlan[];
  toolsKey: 'routes' | 'tools';
}

/** Converts the data of a format 1 schema to version 3.0.0 with `tools`: format 2 would allow only eight routes. */
export function adaptMain(schema: JsonObject, onFinding: Report): AdaptedMain {
  const report = ruleReport(onFinding);
  const toolsKey = Object.keys(asObject(schema.routes)).length > 0 ? 'routes' : 'tools';
  const routes = asObject(schema[toolsKey]);
  const handlers = asObject(schema.handlers);
  const hint = 'Convert it to main and handlers (format 3) when you next change it.';
  report('LEG001', 'schema', 'LegacyAdapter: Schema uses v1.x format, automatic conversion applied', hint);
  const serverNames = parseServerNames(schema, { routes, toolsKey, report });
  const namespace = parseNamespace(schema, report);
  const tools = Object.entries(routes).map(
    ([name, route]) => [name, adaptRoute(name, route, { toolsKey, serverNames, report })] as const,
  );
  const plans = Object.entries(routes).flatMap(([tool, route]) => {
    const modifiers = isObject(route) ? route.modifiers : undefined;
    return parseHookPlan(modifiers, { tool, toolsKey, handlers, report }) ?? [];
  });
  const name = textField(schema, 'name') ?? namespace;
  const main: JsonObject = {
    namespace,
    name,
    description: textField(schema, 'description') ?? name,
    version: '3.0.0',
    ...pick(schema, ['docs', 'tags']),
    root: parseRoot(schema, report),
    requiredServerParams: serverNames,
    requiredLibraries: [],
    headers: asObject(schema.headers),
    // Incomplete migrations have these already.
    ...pick(schema, ['requiredLibraries', 'sharedLists']),
    tools: Object.fromEntries(tools),
  };
  return { main, plans, toolsKey };
}

/** Format 1 allowed capitals and digits; the first files had no namespace. */
function parseNamespace(schema: JsonObject, report: RuleReport): string {
  const written = textField(schema, 'namespace');
  const letters = (written ?? textField(schema, 'name') ?? '').normalize('NFD').toLowerCase();
  const namespace = letters.replace(/[^a-z]/g, '') || 'unknown';
  if (written === namespace) return namespace;
  const message =
    written === undefined
      ? `namespace is missing; "${namespace}" is derived from the name`
      : `namespace ${JSON.stringify(written)} is read as "${namespace}"`;
  report('LEG002', 'schema.namespace', message, 'Use only the letters a to z; tool names start with it.');
  return namespace;
}

function parseRoot(schema: JsonObject, report: RuleReport): string {
  const root = textField(schema, 'root');
  if (root !== undefined) return root;
  const message = 'LegacyAdapter: Schema has no root, the placeholder https://unknown is used';
  report('LEG003', 'schema.root', message, 'Write the base URL of the API; calls fail without it.');
  return 'https://unknown';
}

interface RouteContext {
  toolsKey: string;
  serverNames: readonly string[];
  report: RuleReport;
}

function adaptRoute(name: string, route: JsonValue, context: RouteContext): JsonValue {
  if (!isObject(route)) return route;
  const { parameters = [] } = route;
  const names = new Set(context.serverNames);
  return {
    method: route.requestMethod ?? route.method ?? 'GET',
    path: parsePath(name, route, context),
    ...pick(route, ['description']),
    parameters: Array.isArray(parameters)
      ? parameters.map((parameter) => adaptParameter(parameter, names))
      : parameters,
    ...pick(route, ['output', 'preload', 'tests']),
  };
}

function parsePath(name: string, route: JsonObject, { toolsKey, report }: RouteContext): JsonValue {
  const path = route.route ?? route.path ?? '/';
  if (typeof path !== 'string' || path.startsWith('/') || path === '') return path;
  const message = `route ${JSON.stringify(path)} of ${name} is read as ${JSON.stringify(`/${path}`)}`;
  report('LEG006', `${childPath(`schema.${toolsKey}`, name)}.route`, message);
  return `/${path}`;
}

function pick(source: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (source[key] === undefined ? [] : [[key, source[key]]])));
}

/** Converts a parameter: server parameters to placeholders, a missing `z` block to a default, enum options to the primitive. */
function adaptParameter(parameter: JsonValue, serverNames: ReadonlySet<string>): JsonValue {
  if (!isObject(parameter) || !isObject(parameter.position)) return parameter;
  const { position, z, description } = parameter;
  return {
    position: { ...position, value: adaptValue(position.value, serverNames) },
    z: z === undefined ? zOfLiteral(position.value) : adaptZ(z),
    ...(typeof description === 'string' && { description }),
  };
}

function adaptValue(value: JsonValue | undefined, serverNames: ReadonlySet<string>): JsonValue {
  if (typeof value !== 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
  const parts = splitPlaceholders(value).map((part) => {
    if (part.kind === 'text') return part.text;
    const name = serverParamName(part.name) ?? part.name;
    return serverNames.has(name) ? `{{SERVER_PARAM:${name}}}` : part.source;
  });
  return parts.join('');
}

/** Literals and server parameters had no `z` block. The type determines the value in a JSON body. */
function zOfLiteral(value: JsonValue | undefined): JsonObject {
  const type = Array.isArray(value) ? 'array' : typeof value;
  const primitive = ['number', 'boolean', 'array', 'object'].includes(type) && value !== null ? type : 'string';
  return { primitive: `${primitive}()`, options: [] };
}

function adaptZ(z: JsonValue): JsonValue {
  if (!isObject(z)) return z;
  const { primitive = 'string()' } = z;
  const options = Array.isArray(z.options) ? z.options : [];
  const values = options.map(enumValues).find((found) => found !== undefined);
  if (values === undefined || typeof primitive !== 'string' || parseCall(primitive)?.name === 'enum') {
    return { primitive, options };
  }
  const rest = options.filter((option) => enumValues(option) === undefined);
  const isPlainBoolean =
    parseCall(primitive)?.name === 'boolean' &&
    splitList(values).every((value) => ['true', 'false'].includes(unquote(value)));
  return { primitive: isPlainBoolean ? primitive : `enum(${values})`, options: rest };
}

/** `a,b` of an option `enum(a,b)`; schemas before 1.2.0 combine it with `string()`. */
function enumValues(option: JsonValue): string | undefined {
  const call = typeof option === 'string' ? parseCall(option) : undefined;
  return call?.name === 'enum' && call.args ? call.args : undefined;
}

/** The server parameters: declared ones, and placeholders in `root`, headers, paths, and parameters without a `z` block. */
function parseServerNames(
  schema: JsonObject,
  { routes, toolsKey, report }: { routes: JsonObject; toolsKey: string; report: RuleReport },
): string[] {
  const declared = schema.requiredServerParams;
  const names = new Set(
    (Array.isArray(declared) ? declared : []).map((name) => serverParamName(String(name)) ?? String(name).trim()),
  );
  const add = (text: JsonValue | undefined, path: string, taken: readonly string[] = []) => {
    for (const name of placeholdersIn(text)) {
      if (names.has(name) || taken.includes(name) || name === 'USER_PARAM') continue;
      names.add(name);
      const message = `server parameter ${name} is used but not declared; it is added to requiredServerParams`;
      report('LEG004', path, message, `Add ${JSON.stringify(name)} to requiredServerParams.`);
    }
  };
  add(schema.root, 'schema.root');
  for (const [name, value] of Object.entries(asObject(schema.headers))) add(value, childPath('schema.headers', name));
  for (const [name, value] of Object.entries(routes)) {
    const route = asObject(value);
    const parameters = (Array.isArray(route.parameters) ? route.parameters : []).map(asObject);
    const keys = parameters.map(({ position }) => String(asObject(position).key));
    const path = childPath(`schema.${toolsKey}`, name);
    add(route.route ?? route.path, `${path}.route`, keys);
    parameters.forEach(({ position, z }, index) => {
      if (z === undefined) add(asObject(position).value, `${path}.parameters[${index}]`, keys);
    });
  }
  return [...names];
}

function placeholdersIn(text: JsonValue | undefined): string[] {
  if (typeof text !== 'string') return [];
  return splitPlaceholders(text).flatMap((part) =>
    part.kind === 'placeholder' ? [serverParamName(part.name) ?? part.name] : [],
  );
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The format of a module: `v3`, `v2`, `v1` or its exact version, or `unknown`. */
export interface DetectedFormat {
  /** True for format 1, which has to be converted. */
  isLegacy: boolean;
  format: string;
}

/**
 * Tells the format of a schema module from its exports: `main` is format 3 or 2, `schema` is format 1.
 * Never throws; what is no schema is `unknown`.
 */
export function detectLegacy({ module }: { module?: unknown } = {}): DetectedFormat {
  try {
    const { main, schema } = Object(module) as { main?: unknown; schema?: unknown };
    if (isObject(main)) return { isLegacy: false, format: formatOfMain(main.version) };
    if (isObject(schema) && isLegacySchema(schema)) return { isLegacy: true, format: formatOfSchema(schema.flowMCP) };
  } catch {
    // Objects with throwing getters are not schemas.
  }
  return { isLegacy: false, format: 'unknown' };
}

/** Incomplete migrations have `tools` instead of `routes`. */
function isLegacySchema({ flowMCP, routes, tools }: Record<string, unknown>): boolean {
  return typeof flowMCP === 'string' || isObject(routes) || isObject(tools);
}

function formatOfMain(version: unknown): string {
  const [major] = /^[23](?=\.)/.exec(String(version)) ?? [];
  return major === undefined ? 'unknown' : `v${major}`;
}

function formatOfSchema(flowMCP: unknown): string {
  const [version] = typeof flowMCP === 'string' ? (/\d.*$/.exec(flowMCP.trim()) ?? []) : [];
  return `v${version ?? 1}`;
}
