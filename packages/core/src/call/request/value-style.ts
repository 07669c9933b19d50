import type { Finding } from '../../schema/finding.ts';
import type { JsonValue } from '../../schema/json.ts';
import { areOneName } from '../../schema/rules/placement.ts';
import type { Placement, Style } from '../../schema/schema.ts';
import { callFinding } from '../call-findings.ts';
import { toText } from './template-value.ts';

/** Between the parts of a list or an object in one `key=value`. */
const delimiters: Partial<Record<Style['name'], string>> = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C' };

/** The `key=value` pairs of a value in a query, a form or cookies (OpenAPI 3.1, "Style Values"). */
export function styledPairs(
  key: string,
  value: JsonValue,
  { name, explode }: Style,
  encode: (text: string) => string,
): string[] {
  if (typeof value !== 'object' || value === null) return [`${encode(key)}=${encode(toText(value))}`];
  if (name === 'deepObject') return deepPairs(key, value).map(([path, text]) => `${encode(path)}=${encode(text)}`);
  const members = membersOf(value);
  if (explode) return members.map(([member, text]) => `${encode(member ?? key)}=${encode(text)}`);
  const parts = flat(members).map(encode);
  return parts.length === 0 ? [] : [`${encode(key)}=${parts.join(delimiters[name])}`];
}

/** A value in a path, encoded (RFC 6570, which OpenAPI refers to). */
export function styledPath(key: string, value: JsonValue, { name, explode }: Style): string {
  const members = membersOf(value);
  const named = (member = key) => encodeURIComponent(member.toWellFormed());
  const pairs = members.map(([member, text]) => {
    const isPair = member !== undefined || name === 'matrix';
    const encoded = encodeURIComponent(text.toWellFormed());
    return isPair ? `${named(member)}${encoded === '' && name === 'matrix' ? '' : `=${encoded}`}` : encoded;
  });
  const parts = flat(members).map((text) => encodeURIComponent(text.toWellFormed()));
  const isOne = typeof value !== 'object';
  if (name === 'simple' && isOne) return encodeSegment(String(value));
  if (name === 'matrix') {
    return explode || isOne ? pairs.map((pair) => `;${pair}`).join('') : `;${named()}=${parts.join(',')}`;
  }
  if (name === 'label') return `.${explode ? pairs.join('.') : parts.join(',')}`;
  return (explode ? pairs : parts).join(',');
}

/** Encodes a value for one segment of a path. What is allowed there stays as it is (RFC 3986, 3.3). */
export function encodeSegment(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(/%(?:3A|2B|2C|40|3B|3D|24)/g, decodeURIComponent);
}

/** A value in a header, where nothing is encoded. */
export function styledHeader(value: JsonValue, { explode }: Style): string {
  const members = membersOf(value);
  if (!explode) return flat(members).join(',');
  return members.map(([member, text]) => (member === undefined ? text : `${member}=${text}`)).join(',');
}

/**
 * What in a value would be read as something else in its place; completes "may not have". `taken`: the names of other parameters, which no
 * member of the value may get.
 */
export function styleProblem(
  key: string,
  value: JsonValue,
  { name, explode }: Style,
  { isHeader = false, taken = [] }: { isHeader?: boolean; taken?: readonly string[] } = {},
): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const isDeep = name === 'deepObject';
  const members = membersOf(value);
  const names = isDeep ? deepPairs(key, value).map(([path]) => path) : explode ? members.map(([member]) => member) : [];
  const other = names.find((one) => one !== undefined && taken.some((parameter) => areOneName(one, parameter)));
  if (other !== undefined) return `the member ${JSON.stringify(other)}, which is the name of another parameter`;
  if (isDeep) return deepProblem(value);
  const texts = flat(members);
  const reserved = reservedIn(name, explode, isHeader).find((mark) => texts.some((text) => text.includes(mark)));
  return reserved === undefined ? undefined : `${JSON.stringify(reserved)}, which separates its parts in the request`;
}

/** The keys of the other parameters in the same location. */
export function otherKeys(placements: readonly Placement[], placement: Placement): string[] {
  const others = placements.filter((other) => other !== placement && other.location === placement.location);
  return others.map(({ key }) => key);
}

export function styleFinding({ key }: Placement, problem: string): Finding {
  const hint = 'Leave it out of the value: the API would read it as something else.';
  return callFinding('INP012', `${key}: a value for this place may not have ${problem}.`, { path: key, hint });
}

/** Characters that separate parts, and that no encoding can hide from the API. */
function reservedIn(name: Style['name'], explode: boolean, isHeader: boolean): readonly string[] {
  if (isHeader) return explode ? [',', '='] : [','];
  if (name === 'spaceDelimited') return [' '];
  if (name === 'pipeDelimited') return ['|'];
  return name === 'label' && explode ? ['.', '='] : [];
}

/** The parts of a value as text, with the names of an object's members. Null and missing ones are left out. */
function membersOf(value: JsonValue): [member: string | undefined, text: string][] {
  if (typeof value !== 'object' || value === null) return [[undefined, toText(value)]];
  const entries: [string | undefined, JsonValue | undefined][] = Array.isArray(value)
    ? value.map((item) => [undefined, item])
    : Object.entries(value);
  return entries.flatMap(([member, item]) => {
    if (item === null || item === undefined) return [];
    return [[member, typeof item === 'object' ? JSON.stringify(item) : String(item)]];
  });
}

function flat(members: readonly [string | undefined, string][]): string[] {
  return members.flatMap(([member, text]) => (member === undefined ? [text] : [member, text]));
}

/** `filter[size][min]` for each value inside: OpenAPI leaves deeper levels open, and servers read them like this. */
function deepPairs(path: string, value: JsonValue): [path: string, text: string][] {
  if (value === null) return [];
  if (typeof value !== 'object') return [[path, String(value)]];
  return Object.entries(value).flatMap(([member, item]) => deepPairs(`${path}[${member}]`, item ?? null));
}

function deepProblem(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [member, item] of Object.entries(value)) {
    if (/[[\]]/.test(member)) return `brackets in the name ${JSON.stringify(member)}`;
    if (member === '') return 'a member without a name';
    const inner = deepProblem(item ?? null);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
