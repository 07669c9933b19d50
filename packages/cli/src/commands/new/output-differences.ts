import { isObject } from '@schemakit/core/internal';

/** A part of an answer that is not as the description of the API says. */
export interface OutputDifference {
  /** Such as `$.items[].price`. */
  place: string;
  declared: string;
  sent: string;
}

/** What an output schema says that another did not. Parts that were declared and not sent are no difference: they are optional. */
export function outputDifferences(declared: unknown, sent: unknown, place = '$'): OutputDifference[] {
  if (!isObject(sent)) return [];
  const before = isObject(declared) ? declared : {};
  const [left, right] = [typeOf(before), typeOf(sent)];
  const own = left === right ? [] : [{ place, declared: left, sent: right }];
  // The parts of what had no type, or another one, are new altogether.
  if (before.type !== sent.type) return own;
  const { items, properties } = sent;
  return [
    ...own,
    ...(isObject(properties) ? memberDifferences(before.properties, properties, place) : []),
    ...(isObject(items) ? outputDifferences(before.items, items, `${place}[]`) : []),
  ];
}

function memberDifferences(
  declared: unknown,
  sent: Readonly<Record<string, unknown>>,
  place: string,
): OutputDifference[] {
  if (!isObject(declared)) {
    return [{ place, declared: 'an object without named members', sent: `members ${Object.keys(sent).join(', ')}` }];
  }
  return Object.entries(sent).flatMap(([name, node]) => {
    const at = /^[A-Za-z_$][\w$]*$/.test(name) ? `${place}.${name}` : `${place}[${JSON.stringify(name)}]`;
    if (Object.hasOwn(declared, name)) return outputDifferences(declared[name], node, at);
    return [{ place: at, declared: 'nothing', sent: typeOf(isObject(node) ? node : {}) }];
  });
}

function typeOf({ type, nullable, enum: values, description }: Readonly<Record<string, unknown>>): string {
  const [, several] = /^Either (.+)\.$/.exec(String(description ?? '')) ?? [];
  const name = type === undefined ? (several ?? 'anything') : [type].flat().join(' or ');
  const listed = Array.isArray(values) ? ` (${values.join(', ')})` : '';
  return `${name}${listed}${nullable === true ? ' or null' : ''}`;
}
