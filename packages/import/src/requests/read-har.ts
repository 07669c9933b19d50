import { isObject } from '@schemakit/core/internal';
import type { Omission } from '../import-codes.ts';
import type { JsonObject } from '../read/read-document.ts';
import type { SampleRequest } from './request-document.ts';
import { jsonOf } from './sample-schema.ts';

/**
 * The requests of a recording that were answered with JSON, of the host that was asked most. What else was recorded is omitted.
 *
 * @see http://www.softwareishard.com/blog/har-12-spec/
 */
export function readHar({ log }: JsonObject): { requests: SampleRequest[]; omissions: Omission[] } {
  const entries = isObject(log) && Array.isArray(log.entries) ? log.entries : [];
  const read = entries.map(requestOf);
  const hosts = Map.groupBy(
    read.flatMap((request) => request ?? []),
    ({ url }) => url.origin,
  );
  const [main] = [...hosts].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
  const omissions: Omission[] = [];
  const others = read.length - [...hosts.values()].flat().length;
  if (others > 0) {
    const message = `${others} of ${read.length} recorded requests were not answered with JSON`;
    omissions.push({
      code: 'IMP025',
      pointer: '/log/entries',
      message,
      hint: 'Pages, pictures and scripts are no API.',
    });
  }
  for (const [origin, { length }] of hosts) {
    if (origin === main) continue;
    const message = `${length} of ${read.length} recorded requests are to ${origin}, not to ${main}`;
    omissions.push({ code: 'IMP025', pointer: '/log/entries', message, hint: 'Record them alone to import them too.' });
  }
  return { requests: hosts.get(main ?? '') ?? [], omissions };
}

/** Undefined for what is no successful call of an API. */
function requestOf(entry: unknown): SampleRequest | undefined {
  const { request, response } = Object(entry) as JsonObject;
  const { method, url: address, headers, postData } = Object(request) as JsonObject;
  const { status, content } = Object(response) as JsonObject;
  const url = URL.parse(String(address));
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && method !== 'OPTIONS';
  const { mimeType, text, encoding } = Object(content) as JsonObject;
  const isJson = /^application\/(?:.*\+)?json\b/i.test(String(mimeType));
  if (!isWeb || !isJson || typeof method !== 'string' || Number(status) >= 400) return undefined;
  const answer =
    typeof text === 'string'
      ? jsonOf(encoding === 'base64' ? Buffer.from(text, 'base64').toString() : text)
      : undefined;
  const posted = Object(postData) as JsonObject;
  const fields = Array.isArray(posted.params) ? posted.params.filter(isObject) : [];
  const isMultipart = String(posted.mimeType).startsWith('multipart/');
  const form = fields.map((field) => ({
    name: String(field.name),
    value: String(field.value ?? ''),
    isFile: field.fileName !== undefined,
  }));
  const pairs = new URLSearchParams(form.map(({ name, value }): [string, string] => [name, value]));
  const data = typeof posted.text === 'string' ? posted.text : pairs.size > 0 ? `${pairs}` : undefined;
  return {
    method: method.toUpperCase(),
    url,
    headers: (Array.isArray(headers) ? headers.filter(isObject) : []).map((header) => [
      String(header.name),
      String(header.value),
    ]),
    form: isMultipart ? form : [],
    ...(!isMultipart && data !== undefined && { data }),
    ...(answer !== undefined && { answer }),
  };
}
