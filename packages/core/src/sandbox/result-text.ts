/** Paths at which the result of a hook may have the data that it answers with. The first one that exists counts. */
const answerPaths = {
  response: { parent: ['value'], key: 'response' },
  struct: { parent: ['value', 'struct'], key: 'data' },
  changes: { parent: ['changes'], key: 'data' },
} as const;

export type AnswerPath = keyof typeof answerPaths;

/** The result of a task as JSON text. The empty string stands for `undefined`. */
export interface ResultText {
  json: string;
  /** The data that a hook answers with, which is null in `json`. It is most of the text, and callers need its text as well. */
  answer?: { path: AnswerPath; json: string };
}

/** Writes the result of a hook with its answer as a text of its own. `stringify` is `JSON.stringify`. */
export function splitResult(result: unknown, stringify: (value: unknown) => string | undefined): ResultText {
  for (const path of Object.keys(answerPaths).filter(isAnswerPath)) {
    const { parent: parentPath, key } = answerPaths[path];
    const parent = valueAt(result, parentPath);
    if (!isObject(parent) || !Object.hasOwn(parent, key)) continue;
    const json = stringify(parent[key]);
    if (json === undefined) break;
    return { json: stringify(withNull(result, [...parentPath, key])) ?? '', answer: { path, json } };
  }
  return { json: stringify(result) ?? '' };
}

/** Puts the answer back into the result of a hook. Returns false, and changes nothing, if the result has no such path. */
export function insertAnswer(result: unknown, path: AnswerPath, data: unknown): boolean {
  const { parent: parentPath, key } = answerPaths[path];
  const parent = valueAt(result, parentPath);
  if (!isObject(parent)) return false;
  parent[key] = data;
  return true;
}

export function lengthOf({ json, answer }: ResultText): number {
  return answer === undefined ? json.length : json.length - 'null'.length + answer.json.length;
}

export function isAnswerPath(path: unknown): path is AnswerPath {
  return typeof path === 'string' && Object.hasOwn(answerPaths, path);
}

function valueAt(whole: unknown, path: readonly string[]): unknown {
  return path.reduce((part, key) => (isObject(part) ? part[key] : undefined), whole);
}

function withNull(whole: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return null;
  return isObject(whole) ? { ...whole, [key]: withNull(whole[key], rest) } : whole;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
