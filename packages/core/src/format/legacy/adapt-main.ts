import { childPath, type Report } from '../finding.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { adaptParameter } from './adapt-parameter.ts';
import { type HookPlan, readHookPlan } from './hook-plan.ts';
import { legacyFinding } from './legacy-codes.ts';
import { readServerNames } from './server-names.ts';

/** A format 1 schema in the words of format 3. */
export interface AdaptedMain {
  main: JsonObject;
  /** Which handlers run for which tools. */
  plans: HookPlan[];
  /** Under which name the routes stand in the schema. */
  toolsKey: 'routes' | 'tools';
}

/**
 * Converts the data of a format 1 schema, with `functionMark` where functions stood. It becomes a schema of version 3.0.0
 * with `tools`: in format 2 more than eight routes would be an error, and format 1 files have up to that and more.
 */
export function adaptMain(schema: JsonObject, report: Report): AdaptedMain {
  const toolsKey = isObject(schema.routes) && Object.keys(schema.routes).length > 0 ? 'routes' : 'tools';
  const routes = isObject(schema[toolsKey]) ? schema[toolsKey] : {};
  const handlers = isObject(schema.handlers) ? schema.handlers : {};
  report(
    legacyFinding(
      'LEG001',
      'schema',
      'LegacyAdapter: Schema uses v1.x format, automatic conversion applied',
      'Write it as main and handlers of format 3 when you change it next.',
    ),
  );
  const serverNames = readServerNames(schema, { routes, toolsKey, report });
  const namespace = readNamespace(schema, report);
  const tools = Object.entries(routes).map(
    ([name, route]) => [name, adaptRoute(name, route, { toolsKey, serverNames, report })] as const,
  );
  const plans = Object.entries(routes).flatMap(([tool, route]) => {
    const modifiers = isObject(route) ? route.modifiers : undefined;
    return readHookPlan(modifiers, { tool, toolsKey, handlers, report }) ?? [];
  });
  const name = textOf(schema.name) ?? namespace;
  const main: JsonObject = {
    namespace,
    name,
    description: textOf(schema.description) ?? name,
    version: '3.0.0',
    ...pick(schema, ['docs', 'tags']),
    root: readRoot(schema, report),
    requiredServerParams: serverNames,
    requiredLibraries: [],
    headers: isObject(schema.headers) ? schema.headers : {},
    // Half-finished migrations have these already.
    ...pick(schema, ['requiredLibraries', 'sharedLists']),
    tools: Object.fromEntries(tools),
  };
  return { main, plans, toolsKey };
}

/** Format 1 allowed capitals and digits; its first files had no namespace at all. */
function readNamespace(schema: JsonObject, report: Report): string {
  const written = textOf(schema.namespace);
  const namespace = lettersOf(written ?? textOf(schema.name) ?? '') || 'unknown';
  if (written === namespace) return namespace;
  const message =
    written === undefined
      ? `namespace is missing; the name gives "${namespace}"`
      : `namespace ${JSON.stringify(written)} is read as "${namespace}"`;
  report(legacyFinding('LEG002', 'schema.namespace', message, 'Tool names begin with it, in the letters a to z.'));
  return namespace;
}

/** The letters a to z of a text, without accents. */
function lettersOf(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

function readRoot(schema: JsonObject, report: Report): string {
  const root = textOf(schema.root);
  if (root !== undefined) return root;
  const message = 'LegacyAdapter: Schema has no root, the placeholder https://unknown is used';
  report(legacyFinding('LEG003', 'schema.root', message, 'Write the base URL of the API; calls fail without it.'));
  return 'https://unknown';
}

interface RouteContext {
  toolsKey: string;
  serverNames: readonly string[];
  report: Report;
}

function adaptRoute(name: string, route: JsonValue, context: RouteContext): JsonValue {
  if (!isObject(route)) return route;
  const { parameters = [] } = route;
  const names = new Set(context.serverNames);
  return {
    method: route.requestMethod ?? route.method ?? 'GET',
    path: readPath(name, route, context),
    ...pick(route, ['description']),
    parameters: Array.isArray(parameters)
      ? parameters.map((parameter) => adaptParameter(parameter, names))
      : parameters,
    ...pick(route, ['output', 'preload', 'tests']),
  };
}

function readPath(name: string, route: JsonObject, { toolsKey, report }: RouteContext): JsonValue {
  const path = route.route ?? route.path ?? '/';
  if (typeof path !== 'string' || path.startsWith('/') || path === '') return path;
  const message = `route ${JSON.stringify(path)} of ${name} is read as ${JSON.stringify(`/${path}`)}`;
  report(legacyFinding('LEG006', `${childPath(`schema.${toolsKey}`, name)}.route`, message));
  return `/${path}`;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function pick(source: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (source[key] === undefined ? [] : [[key, source[key]]])));
}
