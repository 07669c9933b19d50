import { isObject } from '@schemakit/core/internal';

/** A tool, as far as its path goes. */
export interface PathTool {
  name: string;
  /** With the placeholders of the format: `/pets/{{petId}}`. */
  path: string;
  /** The parameters that it cannot be called without. */
  required: readonly string[];
}

/** A list that was answered. */
export interface AnsweredList {
  tool: PathTool;
  userParams: Readonly<Record<string, unknown>>;
  data: unknown;
}

/**
 * Arguments for a tool whose description has no examples: `/pets/{{petId}}` gets the id of the first item of `/pets`. Undefined unless the
 * paths and the names leave no doubt.
 */
export function findArguments(
  { path, required }: PathTool,
  lists: readonly AnsweredList[],
): { args: Record<string, unknown>; from: string } | undefined {
  for (const { tool, userParams, data } of lists) {
    const [, key = ''] = path.startsWith(`${tool.path}/`)
      ? (/^\/\{\{(\w+)\}\}/.exec(path.slice(tool.path.length)) ?? [])
      : [];
    const id = key === '' ? undefined : idOf(firstItem(data), key);
    if (id === undefined) continue;
    const args: Record<string, unknown> = { [key]: id };
    for (const name of required) if (Object.hasOwn(userParams, name) && name !== key) args[name] = userParams[name];
    if (required.every((name) => Object.hasOwn(args, name))) return { args, from: tool.name };
  }
  return undefined;
}

/** Of a list, or of the only list in an object. */
function firstItem(data: unknown): unknown {
  if (Array.isArray(data)) return data[0];
  const lists = isObject(data) ? Object.values(data).filter(Array.isArray) : [];
  return lists.length === 1 ? lists[0]?.[0] : undefined;
}

/** The member with the name of the parameter, or `id` for a parameter such as `petId`. */
function idOf(item: unknown, parameter: string): string | number | undefined {
  if (!isObject(item)) return undefined;
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const wanted = plain(parameter);
  const keys = Object.keys(item);
  const key =
    keys.find((name) => plain(name) === wanted) ??
    (wanted.endsWith('id') ? keys.find((name) => plain(name) === 'id') : undefined);
  const value = key === undefined ? undefined : item[key];
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? value : undefined;
}
