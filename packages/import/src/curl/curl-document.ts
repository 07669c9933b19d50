import type { JsonObject } from '../read/read-document.ts';
import type { CurlRequest } from './read-curl.ts';

/** They belong to the connection or to the browser that the command was copied from. */
const browserHeaders =
  /^(accept-.*|user-agent|referer|origin|sec-.*|priority|cache-control|pragma|dnt|connection|host|content-length|upgrade-.*|te|if-.*)$/i;
const secretWords = /key|token|secret|auth|password|session|signature/i;

/** A request as an OpenAPI document with one operation. Its values become examples, and its credentials security schemes: no secret stays. */
export function curlDocument({ method, url, headers, user, data, form }: CurlRequest): JsonObject {
  const schemes = new Map<string, JsonObject>();
  const parameters: JsonObject[] = [];
  const route = planPath(url.pathname, parameters);
  for (const [name, value] of url.searchParams) {
    if (secretWords.test(name)) schemes.set(name, { type: 'apiKey', in: 'query', name });
    else parameters.push({ name, in: 'query', schema: scalarSchema(value), example: scalarValue(value) });
  }
  let accept = 'application/json';
  let contentType: string | undefined;
  if (user !== undefined) schemes.set('basic', { type: 'http', scheme: 'basic' });
  for (const [name, value] of headers) {
    if (/^accept$/i.test(name)) accept = value.split(/[,;]/)[0]?.trim() || accept;
    else if (/^content-type$/i.test(name)) contentType = value.split(';')[0]?.trim();
    else if (/^authorization$/i.test(name) && /^(bearer|basic)\s/i.test(value)) {
      const scheme = value.split(/\s/)[0]?.toLowerCase();
      schemes.set(String(scheme), { type: 'http', scheme });
    } else if (/^cookie$/i.test(name)) {
      for (const cookie of value.split(/;\s*/)) {
        const [key = ''] = cookie.split('=', 1);
        schemes.set(key, { type: 'apiKey', in: 'cookie', name: key });
      }
    } else if (secretWords.test(name)) schemes.set(name, { type: 'apiKey', in: 'header', name });
    else if (!browserHeaders.test(name))
      parameters.push({ name, in: 'header', required: true, schema: { const: value } });
  }
  const requestBody = bodyOf({ form, contentType, ...(data !== undefined && { data }) });
  const operation = {
    description: `${method} ${route}, as in the curl command it was imported from.`,
    parameters,
    ...(requestBody !== undefined && { requestBody }),
    ...(schemes.size > 0 && { security: [Object.fromEntries([...schemes.keys()].map((name) => [name, []]))] }),
    responses: { 200: { description: 'The answer', content: { [accept]: {} } } },
  };
  return {
    openapi: '3.1.0',
    info: { title: url.hostname, version: '1', description: `Requests to ${url.host}.` },
    servers: [{ url: url.origin }],
    paths: { [route]: { [method.toLowerCase()]: operation } },
    components: { securitySchemes: Object.fromEntries(schemes) },
  };
}

/** Numbers and UUIDs in a path are parameters. */
function planPath(pathname: string, parameters: JsonObject[]): string {
  const taken = new Set<string>();
  const segments = pathname.split('/');
  return segments
    .map((encoded, index) => {
      const segment = decoded(encoded);
      if (!/^(\d+|[0-9a-f]{8}-[0-9a-f-]{27})$/i.test(segment)) return segment.replace(/[{}]/g, '');
      const before = (segments[index - 1] ?? '').replace(/[^A-Za-z0-9]/g, '').replace(/s$/, '');
      let name = before === '' ? 'id' : `${before}Id`;
      for (let number = 2; taken.has(name); number++) name = `${before}Id${number}`;
      taken.add(name);
      parameters.push({
        name,
        in: 'path',
        required: true,
        schema: scalarSchema(segment),
        example: scalarValue(segment),
      });
      return `{${name}}`;
    })
    .join('/');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // A percent sign of its own.
  }
}

function bodyOf({
  data,
  form,
  contentType,
}: Pick<CurlRequest, 'data' | 'form'> & { contentType: string | undefined }): JsonObject | undefined {
  if (form.length > 0) {
    const fields = form.map(({ name, isFile }) => [
      name,
      isFile ? { type: 'string', format: 'binary' } : { type: 'string' },
    ]);
    return {
      required: true,
      content: {
        'multipart/form-data': {
          schema: { type: 'object', required: form.map(({ name }) => name), properties: Object.fromEntries(fields) },
        },
      },
    };
  }
  if (data === undefined || data === '') return undefined;
  const json = jsonOf(data);
  if (json !== undefined && contentType !== 'application/x-www-form-urlencoded') {
    return {
      required: true,
      content: { [contentType ?? 'application/json']: { schema: schemaOf(json), example: json } },
    };
  }
  if (contentType !== undefined && contentType !== 'application/x-www-form-urlencoded') {
    return { required: true, content: { [contentType]: { schema: { type: 'string' }, example: data } } };
  }
  const pairs = [...new URLSearchParams(data)];
  const properties = Object.fromEntries(pairs.map(([name, value]) => [name, scalarSchema(value)]));
  const example = Object.fromEntries(pairs.map(([name, value]) => [name, scalarValue(value)]));
  return {
    required: true,
    content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties }, example } },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A schema that a value fits. Members are required: the request had them. */
function schemaOf(value: unknown): JsonObject {
  if (value === null) return {};
  if (Array.isArray(value)) return { type: 'array', ...(value.length > 0 && { items: schemaOf(value[0]) }) };
  if (typeof value === 'object') {
    const entries = Object.entries(value);
    const required = entries.filter(([, each]) => each !== null).map(([key]) => key);
    return {
      type: 'object',
      required,
      properties: Object.fromEntries(entries.map(([key, each]) => [key, schemaOf(each)])),
    };
  }
  return { type: Number.isInteger(value) ? 'integer' : typeof value };
}

function scalarValue(text: string): string | number | boolean {
  if (/^(true|false)$/.test(text)) return text === 'true';
  return /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text) ? Number(text) : text;
}

function scalarSchema(text: string): JsonObject {
  return schemaOf(scalarValue(text));
}
