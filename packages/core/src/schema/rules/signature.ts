import { fieldsOf, valuesOf } from '../format/fields.generated.ts';
import { type Fields, isObject } from '../json.ts';
import type { RuleReport } from '../rule-report.ts';
import type { Signature } from '../schema.ts';
import type { Template } from '../template.ts';
import { reportUnknownFields } from './fields.ts';
import { parsePlaceholders, secretName } from './placeholders.ts';
import { ownHeaders } from './placement.ts';
import { controls, headerName } from './root.ts';

/** Placeholders for the time of a signature and its nonce, which other parts of the request may repeat. */
const times: readonly string[] = ['timestamp', 'timestampMs', 'timestampIso', 'nonce'];
/** Placeholders of `message` for parts of the request. */
const requestParts: readonly string[] = ['method', 'host', 'path', 'query', 'target', 'body'];

const path = 'main.signature';
const example =
  "Write signature: { type: 'hmac', algorithm: 'sha256', secret: '{{SECRET}}', message: '{{body}}', encoding: 'hex', in: 'header', name: 'X-Signature' }.";

/** Parses `signature` of a main (docs/format.md, "`signature`"). One that is not valid is ignored, with a warning. */
export function parseSignature(
  { signature: value }: Fields,
  { secrets, report }: { secrets: ReadonlySet<string>; report: RuleReport },
): Signature | undefined {
  if (value === undefined) return undefined;
  const ignore = (place: string, problem: string) =>
    report('VAL079', place, `${problem}; requests are not signed`, example);
  if (!isObject(value) || value.type !== 'hmac') return ignore(path, "signature must be an object of type 'hmac'");
  reportUnknownFields(value, fieldsOf.Signature, { path, report });
  const faults = [...faultsOf(value)];
  for (const [name, expected] of faults) ignore(`${path}.${name}`, `signature.${name} must be ${expected}`);
  if (faults.length > 0) return undefined;
  const { secret, message, name, prefix = '', headers = {}, query = {} } = value;
  const template = (key: string, text: unknown, facts: readonly string[]): Template =>
    parsePlaceholders(String(text), { path: `${path}.${key}`, report }).map((part) => {
      if (part.kind === 'text') return part;
      if (facts.includes(part.name)) return { kind: 'input', name: part.name };
      const place = { secrets, path: `${path}.${key}`, place: path, known: facts, report };
      return { kind: 'secret', name: secretName(part.name, place) };
    });
  const pairs = (key: string, given: unknown): [string, Template][] =>
    Object.entries(given as Fields).map(([name, text]) => [name, template(key, text, times)]);
  if (!/\{\{[^{}]+\}\}/.test(String(secret))) {
    const hint = "Write secret: '{{NAME}}', and the name in main.requiredServerParams.";
    report('VAL078', `${path}.secret`, 'signature.secret is in the file, where anyone can read it', hint);
  }
  return {
    // Checked above.
    algorithm: value.algorithm as Signature['algorithm'],
    encoding: value.encoding as Signature['encoding'],
    in: value.in === 'header' ? 'header' : 'query',
    name: String(name),
    secret: template('secret', secret, []),
    secretEncoding: (value.secretEncoding ?? 'utf8') as Signature['secretEncoding'],
    message: template('message', message, [...times, ...requestParts]),
    prefix: template('prefix', prefix, times),
    headers: pairs('headers', headers),
    query: pairs('query', query),
  };
}

/** The fields that are missing or not valid, and what they must be. */
function* faultsOf(signature: Fields): Generator<[name: string, expected: string]> {
  for (const name of ['algorithm', 'encoding', 'in', 'secretEncoding'] as const) {
    const known: readonly unknown[] = valuesOf[`Signature.${name}`];
    const isLeftOut = signature[name] === undefined && name === 'secretEncoding';
    if (!isLeftOut && !known.includes(signature[name])) yield [name, `one of ${known.join(', ')}`];
  }
  for (const name of ['secret', 'message', 'name']) {
    const text = signature[name];
    if (typeof text !== 'string' || text.trim() === '') yield [name, 'text'];
    else if (name === 'message' && !/\{\{[^{}]+\}\}/.test(text)) yield [name, 'what is signed, such as {{body}}'];
    else if (name === 'name' && signature.in === 'header' && !headerName.test(text))
      yield [name, 'the name of a header'];
    else if (name === 'name' && signature.in === 'header' && ownHeaders.has(text.toLowerCase()))
      yield [name, 'a header that the HTTP client does not set itself'];
  }
  const { prefix = '' } = signature;
  if (typeof prefix !== 'string' || controls.test(prefix)) yield ['prefix', 'a line of text'];
  for (const name of ['headers', 'query']) {
    const { [name]: given = {} } = signature;
    const fits = ([key, text]: [string, unknown]) =>
      ['string', 'number', 'boolean'].includes(typeof text) &&
      (name === 'query' || (headerName.test(key) && !controls.test(String(text))));
    if (!isObject(given) || !Object.entries(given).every(fits)) yield [name, 'an object of text'];
  }
}
