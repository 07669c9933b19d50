import { isObject } from '@schemakit/core/internal';
import type { Omission } from '../import-codes.ts';
import type { JsonObject } from '../read/read-document.ts';
import { type SampleRequest, unknownHost } from './request-document.ts';
import { jsonOf } from './sample-schema.ts';

/**
 * The requests of a Postman collection, with its variables filled in. Requests whose address or credentials cannot be said are omitted.
 *
 * @see https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html
 */
export function readPostman(collection: JsonObject): { requests: SampleRequest[]; omissions: Omission[] } {
  const values = new Map<string, string>();
  for (const { key, id, value, disabled } of objectsIn(collection.variable))
    if (disabled !== true && typeof value === 'string' && value !== '') values.set(String(key ?? id), value);
  const fill = (text: unknown) =>
    String(text ?? '').replace(/\{\{([^{}]+)\}\}/g, (all, name: string) => values.get(name.trim()) ?? all);
  // Values that name each other in a circle end somewhere.
  for (const [name, value] of values) values.set(name, fill(value));

  const requests: SampleRequest[] = [];
  const omissions: Omission[] = [];
  const hosts = new Map<string, string>();
  /** @param folders The names of those that the items are in. */
  const readItems = (items: unknown, pointer: string, auth: unknown, folders: readonly string[]) => {
    for (const [index, item] of objectsIn(items).entries()) {
      const place = `${pointer}/${index}`;
      const name = String(item.name ?? '');
      if (Array.isArray(item.item)) readItems(item.item, `${place}/item`, item.auth ?? auth, [...folders, name]);
      else if (isObject(item.request) || typeof item.request === 'string') {
        const request = isObject(item.request) ? item.request : { url: item.request };
        const url = addressOf(request.url, fill);
        const scheme = schemeOf(request.auth ?? auth, fill);
        if (url === undefined)
          omissions.push(omission(place, 'IMP025', `${name} has no address`, 'Write it into the request.'));
        else if (typeof scheme === 'string')
          omissions.push(omission(place, 'IMP012', `${name}: credentials of the type ${scheme}`, 'Use a handler.'));
        else {
          const tags = folders.slice(0, 1);
          const schemes = scheme === undefined ? [] : [scheme];
          const pathValues = pathValuesOf(request.url, fill);
          const read = { name, tags, url, pathValues, schemes, ...partsOf(request, fill), ...answerOf(item.response) };
          const host = hosts.get(`${read.method} ${url.pathname}`) ?? url.host;
          if (host === url.host) requests.push(read);
          else {
            const message = `${name}: another request has this method and path, to ${host}`;
            omissions.push(omission(place, 'IMP015', message, 'Import its folder alone.'));
          }
          hosts.set(`${read.method} ${url.pathname}`, host);
        }
      }
    }
  };
  readItems(collection.item, '/item', collection.auth, []);
  return { requests, omissions };
}

function omission(pointer: string, code: string, message: string, hint: string): Omission {
  return { code, pointer, message, hint };
}

type Fill = (text: unknown) => string;

function partsOf(
  { method, header, body, description }: JsonObject,
  fill: Fill,
): Pick<SampleRequest, 'method' | 'headers' | 'form' | 'data' | 'description'> {
  const headers = enabled(header).map(({ key, value }): [string, string] => [String(key), fill(value)]);
  const { mode, raw, urlencoded, formdata, graphql, options } = Object(body) as JsonObject;
  const mediaTypes: JsonObject = { urlencoded: 'application/x-www-form-urlencoded', graphql: 'application/json' };
  const language = Object(Object(options).raw).language;
  const mediaType = mode === 'raw' && language === 'json' ? 'application/json' : mediaTypes[String(mode)];
  const isTyped = headers.some(([name]) => /^content-type$/i.test(name));
  if (!isTyped && typeof mediaType === 'string') headers.push(['Content-Type', mediaType]);
  const pairs = enabled(urlencoded).map(({ key, value }): [string, string] => [String(key), fill(value)]);
  const { query, variables } = Object(graphql) as JsonObject;
  const datas: Readonly<Record<string, string | undefined>> = {
    raw: fill(raw),
    urlencoded: `${new URLSearchParams(pairs)}`,
    graphql: JSON.stringify({ query, variables: jsonOf(fill(variables)) ?? {} }),
  };
  const data = datas[String(mode)];
  const form = mode === 'formdata' ? enabled(formdata) : [];
  const text = isObject(description) ? description.content : description;
  return {
    method: String(method ?? 'GET').toUpperCase(),
    headers,
    form: form.map(({ key, value, type }) => ({ name: String(key), value: fill(value), isFile: type === 'file' })),
    ...(data !== undefined && { data }),
    ...(typeof text === 'string' && text !== '' && { description: text }),
  };
}

/** With `:name` for the parts of its path that have no value. */
function addressOf(given: unknown, fill: Fill): URL | undefined {
  const { raw, query } = isObject(given) ? given : { raw: given };
  if (typeof raw !== 'string' || raw === '') return undefined;
  const filled = fill(raw.split('?', 1)[0]).replace(/^\{\{[^{}]*\}\}/, `https://${unknownHost}`);
  const path = filled.replace(/\{\{([^{}]*)\}\}/g, (_, name: string) => `:${name.replace(/\W/g, '_')}`);
  const url = URL.parse(/^https?:\/\//i.test(path) ? path : `https://${path}`);
  if (url === null) return undefined;
  const pairs = Array.isArray(query)
    ? enabled(query).map(({ key, value }): [string, string] => [String(key), fill(value)])
    : [...new URLSearchParams(fill(raw.split('?')[1] ?? ''))];
  for (const [name, value] of pairs) url.searchParams.append(name, value);
  return url;
}

function pathValuesOf(url: unknown, fill: Fill): Record<string, string> {
  const given = objectsIn(Object(url).variable).filter(({ value }) => typeof value === 'string' && value !== '');
  return Object.fromEntries(given.map(({ key, value }) => [String(key), fill(value)]));
}

/** A security scheme of OpenAPI; the name of the type where there is none for it. Values are not read. */
function schemeOf(auth: unknown, fill: Fill): JsonObject | string | undefined {
  if (!isObject(auth) || auth.type === 'noauth') return undefined;
  const type = String(auth.type);
  const settings = auth[type];
  // A list in version 2.1, and an object in 2.0.
  const setting = (name: string) =>
    fill(Array.isArray(settings) ? objectsIn(settings).find(({ key }) => key === name)?.value : Object(settings)[name]);
  if (type === 'bearer' || type === 'basic') return { type: 'http', scheme: type };
  if (type === 'apikey') {
    const place = setting('in') === 'query' ? 'query' : 'header';
    return { type: 'apiKey', in: place, name: setting('key') || 'X-API-Key' };
  }
  if (type !== 'oauth2') return type;
  const tokenUrl = setting('accessTokenUrl');
  // Of other flows a person gets the token.
  if (setting('grant_type') !== 'client_credentials' || !/^https?:/.test(tokenUrl))
    return { type: 'http', scheme: 'bearer' };
  const scopes = setting('scope').split(/\s+/).filter(Boolean);
  return {
    type: 'oauth2',
    flows: { clientCredentials: { tokenUrl, scopes: Object.fromEntries(scopes.map((name) => [name, ''])) } },
  };
}

/** Of the first saved answer that is JSON. */
function answerOf(responses: unknown): Pick<SampleRequest, 'answer'> {
  const bodies = objectsIn(responses)
    .filter(({ code }) => code === undefined || (Number(code) >= 200 && Number(code) < 300))
    .map(({ body }) => jsonOf(String(body)))
    .filter((body) => typeof body === 'object' && body !== null);
  return bodies.length > 0 ? { answer: bodies[0] } : {};
}

function enabled(list: unknown): JsonObject[] {
  return objectsIn(list).filter(({ disabled }) => disabled !== true);
}

function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
