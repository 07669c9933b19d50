import type { JsonObject } from '../read/read-document.ts';
import { jsonOf, sampleSchema, scalarValue } from './sample-schema.ts';

/** A request that was sent, or is written down to be sent. */
export interface SampleRequest {
  method: string;
  url: URL;
  /** Of the parts `:name` of its path. */
  pathValues?: Readonly<Record<string, string>>;
  headers: [name: string, value: string][];
  /** `user:password`. */
  user?: string;
  /** Text of the body. */
  data?: string;
  /** Fields of a multipart form; a file by its name. */
  form: { name: string; value: string; isFile: boolean }[];
  /** What was answered, if it is JSON. */
  answer?: unknown;
  /** Of a request that a person has named. */
  name?: string;
  description?: string;
  tags?: readonly string[];
  /** Credentials that are said apart, as security schemes of OpenAPI. */
  schemes?: readonly JsonObject[];
}

/** They belong to the connection or to the browser that the request was copied from. */
const browserHeaders =
  /^(:.*|accept-.*|user-agent|referer|origin|sec-.*|priority|cache-control|pragma|dnt|connection|host|content-length|upgrade-.*|te|if-.*)$/i;
const secretWords = /key|token|secret|auth|password|session|signature/i;

/** What a request says, apart. */
interface Parts {
  route: string;
  parameters: { name: string; in: 'path' | 'query' | 'header'; value: unknown }[];
  schemes: Map<string, JsonObject>;
  accept: string;
  body?: { mediaType: string; value: unknown; schema?: JsonObject };
}

/**
 * Requests to one server as an OpenAPI document with an operation for each method and path. Values become examples, and credentials security
 * schemes: no secret stays.
 *
 * @param origin What the requests are from, such as `a curl command`.
 */
export function requestDocument(requests: readonly [SampleRequest, ...SampleRequest[]], origin: string): JsonObject {
  const { url } = requests.find(isPlaced) ?? requests[0];
  const samples = new Map<string, { request: SampleRequest; parts: Parts }[]>();
  for (const request of requests) {
    const parts = partsOf(request);
    const key = `${request.method} ${parts.route}`;
    samples.set(key, [...(samples.get(key) ?? []), { request, parts }]);
  }
  const paths: Record<string, JsonObject> = {};
  for (const own of samples.values()) {
    const [{ request, parts }] = own as [(typeof own)[number]];
    paths[parts.route] = {
      ...paths[parts.route],
      [request.method.toLowerCase()]: {
        ...operationOf(own, origin),
        ...(isPlaced(request) && request.url.origin !== url.origin && { servers: [{ url: request.url.origin }] }),
      },
    };
  }
  const schemes = [...samples.values()].flat().flatMap(({ parts }) => [...parts.schemes]);
  return {
    openapi: '3.1.0',
    info: { title: url.hostname, version: '1', description: `Requests to ${url.host}.` },
    ...(url.hostname !== unknownHost && { servers: [{ url: url.origin }] }),
    paths,
    components: { securitySchemes: Object.fromEntries(schemes) },
  };
}

/** The host of requests that do not say it. */
export const unknownHost = 'unknown.invalid';

function isPlaced({ url }: SampleRequest): boolean {
  return url.hostname !== unknownHost;
}

function operationOf(samples: readonly { request: SampleRequest; parts: Parts }[], origin: string): JsonObject {
  const [{ request, parts }] = samples as [(typeof samples)[number]];
  const [summary] = samples.flatMap((sample) => sample.request.name || []).toSorted();
  const { description = summary ?? `${request.method} ${parts.route}, as in ${origin} it was imported from.` } =
    request;
  const named = Map.groupBy(
    samples.flatMap((sample) => sample.parts.parameters),
    (parameter) => `${parameter.in} ${parameter.name}`,
  );
  const parameters = [...named.values()].map((same) => {
    const [{ name, in: place, value }] = same as [(typeof same)[number]];
    const values = same.map((each) => each.value);
    if (place === 'header' && new Set(values).size === 1 && values.length === samples.length)
      return { name, in: place, required: true, schema: { const: value } };
    const required = place === 'path';
    if (value === undefined) return { name, in: place, required, schema: { type: 'string' } };
    return { name, in: place, required, schema: sampleSchema(values), example: value };
  });
  const schemes = new Set(samples.flatMap((sample) => [...sample.parts.schemes.keys()]));
  const bodies = samples.flatMap((sample) => sample.parts.body ?? []);
  const answers = samples.flatMap((sample) => (sample.request.answer === undefined ? [] : [sample.request.answer]));
  return {
    ...(summary !== undefined && { operationId: summary, summary }),
    ...(request.tags && { tags: request.tags }),
    description,
    parameters,
    ...(bodies.length > 0 && {
      requestBody: { required: bodies.length === samples.length, content: contentOf(bodies) },
    }),
    ...(schemes.size > 0 && { security: [Object.fromEntries([...schemes].map((name) => [name, []]))] }),
    responses: {
      200: {
        description: 'The answer',
        content: { [parts.accept]: answers.length > 0 ? { schema: sampleSchema(answers) } : {} },
      },
    },
  };
}

/** The media type of the first sample, and what all of that type have. */
function contentOf(bodies: readonly NonNullable<Parts['body']>[]): JsonObject {
  const [{ mediaType, value, schema }] = bodies as [(typeof bodies)[number]];
  const values = bodies.filter((body) => body.mediaType === mediaType).map((body) => body.value);
  return { [mediaType]: schema ? { schema } : { schema: sampleSchema(values), example: value } };
}

function partsOf({ url, pathValues, headers, user, data, form, schemes: given = [] }: SampleRequest): Parts {
  const schemes = new Map<string, JsonObject>();
  for (const scheme of given) schemes.set(String(scheme.name ?? scheme.scheme ?? scheme.type), scheme);
  const { route, parameters } = planPath(url.pathname, pathValues);
  for (const [name, value] of url.searchParams) {
    if (secretWords.test(name)) schemes.set(name, { type: 'apiKey', in: 'query', name });
    else parameters.push({ name, in: 'query', value: scalarValue(value) });
  }
  let accept = 'application/json';
  let contentType: string | undefined;
  if (user !== undefined) schemes.set('basic', { type: 'http', scheme: 'basic' });
  for (const [name, value] of headers) {
    if (/^accept$/i.test(name)) accept = mediaTypeOf(value) || accept;
    else if (/^content-type$/i.test(name)) contentType = mediaTypeOf(value);
    else if (/^authorization$/i.test(name) && /^(bearer|basic)\s/i.test(value)) {
      const scheme = value.split(/\s/)[0]?.toLowerCase();
      schemes.set(String(scheme), { type: 'http', scheme });
    } else if (/^cookie$/i.test(name)) {
      for (const cookie of value.split(/;\s*/)) {
        const [key = ''] = cookie.split('=', 1);
        schemes.set(key, { type: 'apiKey', in: 'cookie', name: key });
      }
    } else if (secretWords.test(name)) schemes.set(name, { type: 'apiKey', in: 'header', name });
    else if (!browserHeaders.test(name)) parameters.push({ name, in: 'header', value });
  }
  const body = bodyOf({ form, contentType, ...(data !== undefined && { data }) });
  return { route, parameters, schemes, accept, ...(body !== undefined && { body }) };
}

/** The first of a header. Browsers accept anything. */
function mediaTypeOf(header: string): string | undefined {
  const first = header.split(/[,;]/)[0]?.trim();
  return first === '*/*' ? undefined : first;
}

/** Numbers and UUIDs in a path are parameters, and its parts `:name`. */
function planPath(
  pathname: string,
  values: Readonly<Record<string, string>> = {},
): Pick<Parts, 'route' | 'parameters'> {
  const parameters: Parts['parameters'] = [];
  const taken = new Set<string>();
  const segments = pathname.split('/');
  const route = segments
    .map((encoded, index) => {
      const segment = decoded(encoded);
      if (/^:\w+$/.test(segment)) {
        const name = segment.slice(1);
        parameters.push({
          name,
          in: 'path',
          value: Object.hasOwn(values, name) ? scalarValue(values[name] ?? '') : undefined,
        });
        return `{${name}}`;
      }
      if (!/^(\d+|[0-9a-f]{8}-[0-9a-f-]{27})$/i.test(segment)) return segment.replace(/[{}]/g, '');
      const before = (segments[index - 1] ?? '').replace(/[^A-Za-z0-9]/g, '').replace(/s$/, '');
      let name = before === '' ? 'id' : `${before}Id`;
      for (let number = 2; taken.has(name); number++) name = `${before}Id${number}`;
      taken.add(name);
      parameters.push({ name, in: 'path', value: scalarValue(segment) });
      return `{${name}}`;
    })
    .join('/');
  return { route, parameters };
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
}: Pick<SampleRequest, 'data' | 'form'> & { contentType: string | undefined }): Parts['body'] {
  if (form.length > 0) {
    const fields = form.map(({ name, isFile }) => [
      name,
      isFile ? { type: 'string', format: 'binary' } : { type: 'string' },
    ]);
    const properties = Object.fromEntries(fields);
    const schema = { type: 'object', required: Object.keys(properties), properties };
    return { mediaType: 'multipart/form-data', value: undefined, schema };
  }
  if (data === undefined || data === '') return undefined;
  const isForm = contentType === 'application/x-www-form-urlencoded';
  const json = isForm ? undefined : jsonOf(data);
  if (json !== undefined) return { mediaType: contentType ?? 'application/json', value: json };
  if (contentType !== undefined && !isForm) return { mediaType: contentType, value: data };
  const pairs = [...new URLSearchParams(data)].map(([name, value]) => [name, scalarValue(value)]);
  const value = Object.fromEntries(pairs);
  // A field that was sent once need not be sent.
  const { required: _, ...schema } = sampleSchema([value]);
  return { mediaType: 'application/x-www-form-urlencoded', value, schema: { ...schema, example: value } };
}
