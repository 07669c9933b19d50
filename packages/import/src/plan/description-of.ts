import type { JsonObject } from '../read/read-document.ts';
import { isScalar } from './default-of.ts';
import type { Shape } from './shape.ts';
import { shortenText } from './shorten-text.ts';

/** Inside a shape every word counts more than once: it stands between others. */
export const maxInnerText = 120;

const maxNeeded = 8;

const silentFormats = /^(int32|int64|float|double|binary|password|string|enum)$/;

const formatNames: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD',
  'date-time': 'RFC 3339, such as 2026-01-31T12:00:00Z',
  uuid: 'UUID',
  byte: 'base64',
  email: 'an email address',
  uri: 'a URL',
  url: 'a URL',
};

export function descriptionOf(
  schema: JsonObject,
  shape: Shape,
  { level, sendsDefaults }: { level: number; sendsDefaults: boolean },
): Pick<Shape, 'description'> {
  const { text } = shortenText(
    shape.description ?? schema.description ?? schema.title,
    level === 0 ? 240 : maxInnerText,
  );
  const { format, contentEncoding } = schema;
  const named = contentEncoding === 'base64' ? 'base64' : (formatNames[String(format)] ?? String(format ?? ''));
  const isNamed =
    shape.type === 'string' &&
    named !== '' &&
    !silentFormats.test(named) &&
    !text.toLowerCase().includes(named.toLowerCase());
  const unsent = !sendsDefaults && level > 0 && isScalar(schema.default) ? `Default: ${schema.default}` : '';
  const parts = [
    schema.deprecated === true ? 'Deprecated.' : '',
    text,
    isNamed ? `(${named})` : '',
    unsent,
    neededMembers(schema, shape),
  ];
  const description = parts.filter((part) => part !== '').join(' ');
  return description === '' ? {} : { description };
}

/** The members that an object must have, where its shape does not say them because it is cut. */
function neededMembers({ required }: JsonObject, { type, properties }: Shape): string {
  const isCut = (type === 'object' || type === 'record') && properties === undefined;
  if (!isCut || !Array.isArray(required) || required.length === 0) return '';
  return `(must have ${required.slice(0, maxNeeded).join(', ')}${required.length > maxNeeded ? ' and others' : ''})`;
}
