import { fieldsOf, valuesOf } from '../format/fields.generated.ts';
import { type Fields, isObject } from '../json.ts';
import type { RuleReport } from '../rule-report.ts';
import type { Signature } from '../schema.ts';
import type { Template } from '../template.ts';
import { reportUnknownFields } from './fields.ts';
import { parsePlaceholders, secretName } from './placeholders.ts';
import { controls, headerName } from './root.ts';

/** Placeholders for the time of a signature and its nonce, which other parts of the request may repeat. */
const times: readonly string[] = ['timestamp', 'timestampMs', 'timestampIso', 'nonce'];
/** Placeholders of `message` for parts of the request. */
const requestParts: readonly string[] = ['method', 'host', 'path', 'query', 'target', 'body'];

const path = 'main.signature';

/** Parses `signature` of a main (docs/format.md, "`signature`"). One that is not valid is ignored, with a warning. */
export function parseSignature(
  { signature: value }: Fields,
  { secrets, report }: { secrets: ReadonlySet<string>; report: RuleReport },
): Signature | undefined {
  if (value === undefined) return undefined;
  const ignore = (place: string, problem: string, hint?: string) =>
    report('VAL079', place, `${problem}; requests are not signed`, hint);
  if (!isObject(value) || value.type !== 'hmac') {
    const hint =
      "Write signature: { type: 'hmac', algorithm: 'sha256', secret: '{{SECRET}}', message: '{{body}}', encoding: 'hex', in: 'header', name: 'X-Signature' }.";
    return ignore(path, "signature must be an object of type 'hmac'", hint);
  }
  reportUnknownFields(value, fieldsOf.Signature, { path, report });
  for (const name of ['algorithm', 'encoding', 'in', 'secretEncoding'] as const) {
    const known: readonly unknown[] = valuesOf[`Signature.${name}`];
    const isMissing = value[name] === undefined && name === 'secretEncoding';
    if (!isMissing && !known.includes(value[name]))
      return ignore(`${path}.${name}`, `signature.${name} must be one of ${known.join(', ')}`);
  }
  const { secret, message, name, prefix = '', headers = {}, query = {} } = value;
  for (const [key, text] of Object.entries({ secret, message, name })) {
    if (typeof text !== 'string' || text.trim() === '')
      return ignore(`${path}.${key}`, `signature.${key} must be text`);
  }
  if (typeof prefix !== 'string' || controls.test(prefix))
    return ignore(`${path}.prefix`, 'signature.prefix must be a line of text');
  const isHeader = value.in === 'header';
  if (isHeader && !headerName.test(String(name)))
    return ignore(`${path}.name`, 'signature.name must be the name of a header');
  const template = (key: string, text: unknown, facts: readonly string[]): Template =>
    parsePlaceholders(String(text), { path: `${path}.${key}`, report }).map((part) => {
      if (part.kind === 'text') return part;
      if (facts.includes(part.name)) return { kind: 'input', name: part.name };
      const place = { secrets, path: `${path}.${key}`, place: path, report };
      return { kind: 'secret', name: secretName(part.name, place) };
    });
  const pairs: Record<'headers' | 'query', [string, Template][]> = { headers: [], query: [] };
  for (const [field, given] of Object.entries({ headers, query })) {
    const entries = isObject(given) ? Object.entries(given) : [['', null] as const];
    const wrong = entries.find(
      ([key, text]) =>
        !['string', 'number', 'boolean'].includes(typeof text) ||
        (field === 'headers' && !(headerName.test(key) && !controls.test(String(text)))),
    );
    if (wrong !== undefined) return ignore(`${path}.${field}`, `signature.${field} must be an object of text`);
    pairs[field as keyof typeof pairs] = entries.map(([key, text]) => [key, template(field, text, times)]);
  }
  if (!/\{\{[^{}]+\}\}/.test(String(secret))) {
    const hint = "Write secret: '{{NAME}}', and the name in main.requiredServerParams.";
    report('VAL078', `${path}.secret`, 'signature.secret is in the file, where anyone can read it', hint);
  }
  return {
    // Checked above.
    algorithm: value.algorithm as Signature['algorithm'],
    encoding: value.encoding as Signature['encoding'],
    in: isHeader ? 'header' : 'query',
    name: String(name),
    secret: template('secret', secret, []),
    secretEncoding: (value.secretEncoding ?? 'utf8') as Signature['secretEncoding'],
    message: template('message', message, [...times, ...requestParts]),
    prefix: template('prefix', prefix, times),
    ...pairs,
  };
}
