import type { Input } from '../format/tool.ts';

/**
 * The address with its arguments as a template: `schemakit://shop/goods/find{?name,limit}` (RFC 6570, 3.2.8). Where a name has
 * characters that names in templates may not have, they are percent-encoded.
 */
export function uriTemplate(uri: string, inputs: readonly Input[]): string {
  return `${uri}{?${inputs.map(({ name }) => templateName(name)).join(',')}}`;
}

/** The name of an input in a template. */
export function templateName(name: string): string {
  const percentEncode = (character: string) =>
    `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return encodeURIComponent(name.toWellFormed()).replace(/[-.!~*'()]/g, percentEncode);
}

/** The name that stands in a template for an input. */
export function inputName(variable: string): string {
  try {
    return decodeURIComponent(variable);
  } catch {
    return variable; // Not made by a template of ours: it names no input.
  }
}

/** Tells whether an address is this one, with arguments or without. */
export function isAt(uri: string, address: string): boolean {
  return address.startsWith(uri) && /^(?:[?#]|$)/.test(address.slice(uri.length));
}

/**
 * The arguments in an address, as text; a `+` is a space, as forms send it. An empty text stands for an optional argument that
 * is not given: filling in a template leaves it so. What is given several times is a list, which no input takes.
 */
export function readUriArguments(address: string, inputs: readonly Input[]): Record<string, string | string[]> {
  const [, query = ''] = /\?([^#]*)/.exec(address) ?? [];
  const given = new URLSearchParams(query);
  const optional = new Set(inputs.flatMap(({ name, z }) => (z.optional ? name : [])));
  const entries = [...new Set(given.keys())].map((name) => {
    const values = given.getAll(name);
    return [name, values.length === 1 ? values.join('') : values] as const;
  });
  return Object.fromEntries(entries.filter(([name, value]) => value !== '' || !optional.has(name)));
}
