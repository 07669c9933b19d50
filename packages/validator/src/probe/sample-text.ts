import { RE2JS } from 're2js';
import { field, type PlainObject } from '../findings/plain-object.ts';
import { samplePattern } from './sample-pattern.ts';

/** Valid values of formats (JSON Schema validation 7.3, and those that servers use beside). */
const FORMATS: Readonly<Record<string, string>> = {
  date: '2024-01-01',
  'date-time': '2024-01-01T00:00:00Z',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'test@example.com',
  'idn-email': 'test@example.com',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  iri: 'https://example.com/',
  'uri-reference': '/',
  'iri-reference': '/',
  'uri-template': '/{id}',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  'json-pointer': '/a',
  'relative-json-pointer': '0',
  regex: 'a',
  byte: 'dGVzdA==',
};

const CANDIDATES = [
  'test',
  'TEST',
  'Test',
  '1',
  '123',
  '2024-01-01',
  '0x0000000000000000000000000000000000000001',
  ...Object.values(FORMATS),
];

const MAX_LENGTH = 10_000;
const MAX_PATTERN = 500;

/** A text that a schema accepts: by its format, its pattern and its lengths. */
export function sampleText(schema: PlainObject): string {
  const least = Math.min(Math.max(0, Number(field(schema, 'minLength') ?? 0) || 0), MAX_LENGTH);
  const most = Number(field(schema, 'maxLength') ?? Infinity);
  const fits = (text: string): boolean => text.length >= least && text.length <= most;
  const format = field(schema, 'format');
  const byFormat = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  const plain = 'test'.padEnd(least, 'a').slice(0, Math.max(least, Math.min(most, MAX_LENGTH)) || 0);
  const pattern = field(schema, 'pattern');
  if (typeof pattern === 'string' && pattern.length <= MAX_PATTERN) {
    const matches = matcher(pattern);
    const made = samplePattern(pattern, { least });
    const found = [byFormat, plain, made, ...CANDIDATES].find(
      (text) => text !== undefined && fits(text) && matches(text),
    );
    if (found !== undefined) return found;
  }
  return byFormat !== undefined && fits(byFormat) ? byFormat : plain;
}

/** Patterns of strangers run in linear time, or not at all. */
function matcher(pattern: string): (text: string) => boolean {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (text) => compiled.matcher(text).find();
  } catch {
    // What the engine has no syntax for is taken as it was made.
    return () => true;
  }
}
