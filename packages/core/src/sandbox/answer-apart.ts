/** Where the data that a hook answers with may stand in what it did. The first of them that is there counts. */
const places = {
  response: { holder: ['value'], key: 'response' },
  struct: { holder: ['value', 'struct'], key: 'data' },
  changes: { holder: ['changes'], key: 'data' },
} as const;

export type AnswerPlace = keyof typeof places;

/** JSON text of what a task gave. The empty string stands for `undefined`. */
export interface ResultText {
  json: string;
  /** The data that a hook answers with; `json` has null in its place. It is most of the text, and its reader needs it as text too. */
  answer?: { place: AnswerPlace; json: string };
}

/** Writes what a hook did, the data that it answers with apart. `stringify` is that of JSON. */
export function writeApart(outcome: unknown, stringify: (value: unknown) => string | undefined): ResultText {
  for (const place of Object.keys(places).filter(isAnswerPlace)) {
    const { holder: path, key } = places[place];
    const holder = partOf(outcome, path);
    if (!isObject(holder) || !Object.hasOwn(holder, key)) continue;
    const json = stringify(holder[key]);
    if (json === undefined) break;
    return { json: stringify(withNull(outcome, [...path, key])) ?? '', answer: { place, json } };
  }
  return { json: stringify(outcome) ?? '' };
}

/** Puts the data of an answer where it belongs in what a hook did. Gives false, and does nothing, where that has no such place. */
export function putAnswer(outcome: unknown, place: AnswerPlace, data: unknown): boolean {
  const { holder: path, key } = places[place];
  const holder = partOf(outcome, path);
  if (!isObject(holder)) return false;
  holder[key] = data;
  return true;
}

/** Characters of the whole as one text. */
export function lengthOf({ json, answer }: ResultText): number {
  return answer === undefined ? json.length : json.length - 'null'.length + answer.json.length;
}

export function isAnswerPlace(place: unknown): place is AnswerPlace {
  return typeof place === 'string' && Object.hasOwn(places, place);
}

function partOf(whole: unknown, path: readonly string[]): unknown {
  return path.reduce((part, key) => (isObject(part) ? part[key] : undefined), whole);
}

function withNull(whole: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return null;
  return isObject(whole) ? { ...whole, [key]: withNull(whole[key], rest) } : whole;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
