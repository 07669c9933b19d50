import { childPath, type Report } from '../finding.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { serverParamName, splitPlaceholders } from '../template.ts';
import { legacyFinding } from './legacy-codes.ts';

/**
 * The server parameters of a format 1 schema: those it declares, and those that it uses where nothing else can stand: in
 * `root`, in headers, in paths, and in parameters without a `z` block, which no caller fills.
 */
export function readServerNames(
  schema: JsonObject,
  { routes, toolsKey, report }: { routes: JsonObject; toolsKey: string; report: Report },
): string[] {
  const declared = schema.requiredServerParams;
  const names = new Set(
    (Array.isArray(declared) ? declared : []).map((name) => serverParamName(String(name)) ?? String(name).trim()),
  );
  const add = (text: JsonValue | undefined, path: string, taken: readonly string[] = []) => {
    for (const name of placeholdersIn(text)) {
      if (names.has(name) || taken.includes(name) || name === 'USER_PARAM') continue;
      names.add(name);
      const message = `server parameter ${name} is used and not declared; it is added to requiredServerParams`;
      report(legacyFinding('LEG004', path, message, `Add ${JSON.stringify(name)} to requiredServerParams.`));
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
