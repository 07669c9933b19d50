import { parseCall, splitList, unquote } from '../call-syntax.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { serverParamName, splitPlaceholders } from '../template.ts';

/**
 * Writes a parameter of format 1 as format 3 has it: server parameters as `{{SERVER_PARAM:NAME}}`, a `z` block where there
 * is none, and the values of an enum in the primitive. What is no parameter at all is left for the rules to find.
 */
export function adaptParameter(parameter: JsonValue, serverNames: ReadonlySet<string>): JsonValue {
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

/** Fixed values and server parameters had no `z` block. The type says how the value stands in a JSON body. */
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

/** `a,b` of an option `enum(a,b)`, which schemas before 1.2.0 put beside `string()`. */
function enumValues(option: JsonValue): string | undefined {
  const call = typeof option === 'string' ? parseCall(option) : undefined;
  return call?.name === 'enum' && call.args ? call.args : undefined;
}
