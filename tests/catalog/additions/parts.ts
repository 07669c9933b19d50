import { createHmac } from 'node:crypto';
import type { ParsedRequest } from '../../../packages/core/src/call/fixtures/parsing-api.ts';
import { type Call, secrets } from './observe.ts';
import type { Main } from './uses-of.ts';

type Fields = Record<string, unknown>;

function parameterAt(location: string) {
  return (key: string, z: string | string[] = 'string()', position: Fields = {}): Fields => {
    const [primitive, ...options] = [z].flat();
    return { position: { key, value: '{{USER_PARAM}}', location, ...position }, z: { primitive, options } };
  };
}

export const query: ReturnType<typeof parameterAt> = parameterAt('query');
export const insert: typeof query = parameterAt('insert');
export const body: typeof query = parameterAt('body');
export const header: typeof query = parameterAt('header');
export const cookie: typeof query = parameterAt('cookie');

function toolOf(method: string) {
  return (path: string, description: string, parameters: Fields[] = [], parts: Fields = {}): Fields => ({
    ...{ method, path, description, parameters },
    ...parts,
  });
}

export const get: ReturnType<typeof toolOf> = toolOf('GET');
export const post: typeof get = toolOf('POST');

export function api(namespace: string, description: string, parts: Fields & Pick<Main, 'tools'>): Main {
  const names = JSON.stringify([parts.auth, parts.signature]).matchAll(/\{\{([A-Z_]+)\}\}/g);
  const requiredServerParams = [...new Set([...names].map(([, name]) => name))];
  const rest = { version: '3.0.0', requiredServerParams, requiredLibraries: [], headers: {}, docs: [] };
  return { namespace, name: `${namespace} API`, description, ...rest, ...parts };
}

/** Calls of a paginated tool: of a list that it reads to its end, and of one with more pages than the four of a call. */
export function gathers(tool: string, read: (items: number[]) => unknown, asked?: string[]): Call[] {
  return [
    { tool, args: { q: 'few' }, data: read([1, 2, 3, 4, 5]), ...(asked && { asked }) },
    { tool, args: { q: 'many' }, data: read([1, 2, 3, 4, 5, 6, 7, 8]), findings: ['PAGES_LEFT'] },
  ];
}

/** A call that is refused before anything is sent. */
export function refuses(tool: string, args: object, code: string): Call {
  return { tool, args, asked: [], findings: [code] };
}

export function basic({ headers }: ParsedRequest): boolean {
  return headers.authorization === `Basic ${btoa(`${secrets.LOGIN}:${secrets.PASSWORD}`)}`;
}

export function bearer({ headers }: ParsedRequest, token: string = secrets.TOKEN): boolean {
  return headers.authorization === `Bearer ${token}`;
}

export function mac(algorithm: string, text: string, encoding: 'hex' | 'base64' = 'hex'): string {
  return createHmac(algorithm, secrets.SECRET).update(text).digest(encoding);
}

/** A JSON body as it was sent. */
export function textOf({ body }: ParsedRequest): string {
  return body === '' ? '' : JSON.stringify(body);
}

export const photo = 'data:image/png;name=me.png;base64,aGVsbG8=';
export const hello: Buffer = Buffer.from('aGVsbG8=', 'base64');
