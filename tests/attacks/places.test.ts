import { symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { exposeSchemas, SchemaKit } from '@schemakit/core';
import qs from 'qs';
import { Response } from 'undici';
import { describe, expect, test } from 'vitest';
import { startCommand } from '../e2e/support/command.ts';
import { loadLoopbackSchema } from '../e2e/support/loopback-schema.ts';
import { faultlessTool, mainWith, moduleText } from '../e2e/support/schema-module.ts';
import { temporaryFolder } from '../e2e/support/temporary-folder.ts';
import { type ArrivedRequest, startUpstream } from '../e2e/support/upstream.ts';
import { fileValues, fileWords, type Place, places } from './places.ts';

type Seen = Record<string, unknown>;
type Members = Record<string, string>;

interface Kind {
  tool: Record<string, unknown>;
  /** The request as a program writes it that encodes nothing. */
  naive(value: never): { query?: string; headers?: Members; body?: string };
  /** What an API reads in this place. */
  seen(request: ArrivedRequest): Seen | Promise<Seen>;
  /** What the caller meant. */
  meant(value: never): Seen;
}

describe.each(places)('a caller who $name', ({ place, value, outcome }) => {
  const kind = kinds[place];

  test('leaves the place where requests are put together as text', async () => {
    const { origin, requests } = await startUpstream();
    await writeRequest(origin, kind.naive(value as never));
    expect(await isHarmed(requests, kind)).toBe(true);
  });

  test(outcome, async () => {
    const { origin, requests } = await startUpstream();
    const { main } = await loadLoopbackSchema({ root: origin, tool: kind.tool });
    const { findings, status } = await SchemaKit.fetch({ main, routeName: 'getThing', userParams: { note: value } });
    expect(await isHarmed(requests, kind)).toBe(false);
    if (outcome !== 'no effect') expect([findings.map(({ code }) => code), requests]).toEqual([[outcome], []]);
    else {
      expect(status).toBe(true);
      for (const request of requests) expect(await kind.seen(request)).toMatchObject(kind.meant(value as never));
    }
  });
});

const canary = 'canary of a private file';

describe.each(fileValues)('for a file, a caller who $name', ({ value, outcome }) => {
  test.each(['a program', 'MCP'])(`does not have it read by %s: ${outcome}`, async (way) => {
    const { folder } = await project();
    const { origin, requests } = await startUpstream();
    const schema = await loadLoopbackSchema({ root: origin, tool: kinds['file part'].tool });
    const userParams = { note: value.replace('%PRIVATE%', join(folder, 'private.txt')) };
    const [tool] = exposeSchemas([schema]);
    const answer =
      way === 'MCP'
        ? await tool?.call(userParams)
        : await SchemaKit.fetch({ schema, routeName: 'getThing', userParams });
    expect(JSON.stringify(answer)).toContain('expected a file');
    expect(requests).toEqual([]);
  });
});

describe.each(fileWords)('on the command line, somebody who $name', ({ word, outcome }) => {
  test(outcome, async () => {
    const { folder, own } = await project();
    const { origin, requests } = await startUpstream();
    const main = mainWith({ root: origin, tools: { getThing: { ...faultlessTool, ...kinds['file part'].tool } } });
    const schema = await temporaryFolder({ 'shop.mjs': moduleText(main) });
    const value = word.replace('%PRIVATE%', join(folder, 'private.txt'));
    const run = await startCommand(['call', join(schema, 'shop.mjs::tool::getThing'), `note=${value}`], { cwd: own });
    expect(run.status).not.toBe(0);
    expect(JSON.stringify(run.json)).not.toContain(canary);
    expect(requests).toEqual([]);
  });
});

/** A folder with a private file, and below it the project. */
async function project(): Promise<{ folder: string; own: string }> {
  const folder = await temporaryFolder({ 'private.txt': canary, 'project/own.txt': 'own' });
  const own = join(folder, 'project');
  symlinkSync(join(folder, 'private.txt'), join(own, 'link.txt'));
  return { folder, own };
}

async function isHarmed(requests: readonly ArrivedRequest[], kind: Kind): Promise<boolean> {
  for (const request of requests) {
    if (request.path === '/smuggled' || 'x-admin' in request.headers) return true;
    const seen = await kind.seen(request);
    const { kept, note, filter = { owner: 'mine' } } = seen as { kept?: string; note?: unknown; filter?: Seen };
    const isItem = Array.isArray(note) && note.some((item) => /^admin/.test(item));
    if (kept !== 'mine' || 'admin' in seen || filter.owner !== 'mine' || isItem) return true;
  }
  return false;
}

/** Writes a request to a socket as many programs do: a letter is a byte, also for its length. */
async function writeRequest(origin: string, { query = '', headers = {}, body = '' }: ReturnType<Kind['naive']>) {
  const { hostname, port, host } = new URL(origin);
  const fields = Object.entries({ Host: host, 'Content-Length': String(body.length), ...headers });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(`POST /thing${query} HTTP/1.1\r\n${head}\r\n`, 'latin1');
  socket.end(body);
  await new Promise((resolve) => socket.resume().on('close', resolve));
}

function parameter(
  key: string,
  location: string,
  position: object = {},
  primitive = 'string()',
  value = '{{USER_PARAM}}',
) {
  return { position: { key, value, location, ...position }, z: { primitive, options: [] } };
}

/** A tool with a value of the caller, and a fixed one in the same place. */
function toolWith(location: string, position: object, primitive: string, parts: Record<string, unknown> = {}) {
  const [note, kept] = location === 'header' ? ['note', 'X-Kept'] : ['note', 'kept'];
  return {
    method: 'POST',
    parameters: [parameter(note, location, position, primitive), parameter(kept, location, {}, 'string()', 'mine')],
    ...parts,
  };
}

function headersSeen({ headers }: ArrivedRequest): Seen {
  return { note: headers.note, kept: headers['x-kept'] };
}

/** Some servers separate cookies at commas too, as RFC 2109 said. */
function cookiesSeen({ headers: { cookie = '' } }: ArrivedRequest): Seen {
  return Object.fromEntries(
    cookie.split(/[;,] */).map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      return [name, decodeURIComponent(value)];
    }),
  );
}

const fieldsSeen = (text: string): Seen => qs.parse(text, { plainObjects: true });
const querySeen = ({ url }: ArrivedRequest): Seen => fieldsSeen(new URL(url, 'http://api').search.slice(1));
const pairs = (value: Members): string[] => Object.entries(value).map(([name, text]) => `${name}=${text}`);

/** A list in one parameter, separated by text that the API looks for before it decodes the items. */
function delimited(style: string, delimiter: string): Kind {
  return {
    tool: toolWith('query', { style, explode: false }, 'array()'),
    naive: (items: string[]) => ({ query: `?note=${items.join(delimiter).replaceAll(' ', '%20')}&kept=mine` }),
    seen({ url }) {
      const [, note = '', rest = ''] = /\?note=([^&]*)&(.*)$/.exec(url) ?? [];
      // An API that decodes first cannot tell a delimiter from the same character in an item.
      const items = delimiter === ',' ? note.split(',') : decodeURIComponent(note).split(delimiter);
      return { note: items.map((item) => (delimiter === ',' ? decodeURIComponent(item) : item)), ...fieldsSeen(rest) };
    },
    meant: (items: string[]) => ({ note: items }),
  };
}

async function partsSeen({ body, headers }: ArrivedRequest): Promise<Seen> {
  const form = await new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
  const seen: Seen = {};
  for (const [name, value] of form) {
    seen[name] = typeof value === 'string' ? value : await value.text();
    if (typeof value !== 'string' && /[/\\]|^\.*$/.test(value.name)) seen.admin = value.name;
  }
  return seen;
}

function multipart(...parts: string[]): { headers: Members; body: string } {
  const body = parts.map((text) => `--boundary\r\nContent-Disposition: form-data; ${text}\r\n`).join('');
  return { headers: { 'Content-Type': 'multipart/form-data; boundary=boundary' }, body: `${body}--boundary--\r\n` };
}

const keptPart = 'name="kept"\r\n\r\nmine';

function fileParts(url: string): [type: string, name: string] {
  const [, type = '', name = ''] = /^data:(.*?)(?:;name=([^;]*))?;base64,/s.exec(url) ?? [];
  return [type, decodeURIComponent(name)];
}

const bodyParameter = (primitive: string) => [
  parameter('note', 'body', {}, primitive),
  parameter('X-Kept', 'header', {}, 'string()', 'mine'),
];

const kinds: Record<Place, Kind> = {
  header: {
    tool: toolWith('header', {}, 'string()'),
    naive: (value: string) => ({ headers: { 'X-Kept': 'mine', note: value } }),
    seen: headersSeen,
    meant: (note: string) => ({ note }),
  },
  'simple header': {
    tool: toolWith('header', { style: 'simple' }, 'array()'),
    naive: (items: string[]) => ({ headers: { 'X-Kept': 'mine', note: items.join(',') } }),
    seen: (request) => ({ ...headersSeen(request), note: String(headersSeen(request).note).split(',') }),
    meant: (note: string[]) => ({ note }),
  },
  cookie: {
    tool: toolWith('cookie', {}, 'string()'),
    naive: (value: string) => ({ headers: { Cookie: `note=${value}; kept=mine` } }),
    seen: cookiesSeen,
    meant: (note: string) => ({ note }),
  },
  cookies: {
    tool: toolWith('cookie', { style: 'form' }, 'object()'),
    naive: (value: Members) => ({ headers: { Cookie: ['kept=mine', ...pairs(value)].join('; ') } }),
    seen: cookiesSeen,
    meant: (value: Members) => value,
  },
  'form query': {
    tool: toolWith('query', { style: 'form' }, 'object()'),
    naive: (value: Members) => ({ query: `?${[...pairs(value), 'kept=mine'].join('&')}` }),
    seen: querySeen,
    meant: (value: Members) => value,
  },
  'comma query': delimited('form', ','),
  'deepObject query': {
    tool: {
      method: 'POST',
      parameters: [
        parameter('note', 'query', { key: 'filter', style: 'deepObject' }, 'object()', '{{note}}'),
        parameter('filter[owner]', 'query', {}, 'string()', 'mine'),
        parameter('kept', 'query', {}, 'string()', 'mine'),
      ],
    },
    naive: (value: object) => ({
      query: `?${Object.entries(value)
        .flatMap(([name, item]) =>
          typeof item === 'string'
            ? `filter[${name}]=${item}`
            : Object.entries(item).map(([inner, text]) => `filter[${name}][${inner}]=${text}`),
        )
        .join('&')}&filter[owner]=mine&kept=mine`,
    }),
    seen: querySeen,
    meant: (filter: object) => ({ filter }),
  },
  'spaceDelimited query': delimited('spaceDelimited', ' '),
  'pipeDelimited query': delimited('pipeDelimited', '|'),
  'form body': {
    tool: toolWith('body', { style: 'form' }, 'object()', { encoding: 'form' }),
    naive: (value: Members) => ({
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: [...pairs(value), 'kept=mine'].join('&'),
    }),
    seen: ({ body }) => fieldsSeen(body),
    meant: (value: Members) => value,
  },
  'text part': {
    tool: toolWith('body', {}, 'string()', { encoding: 'multipart' }),
    naive: (value: string) => multipart(`name="note"\r\n\r\n${value}`, keptPart),
    seen: partsSeen,
    meant: (note: string) => ({ note }),
  },
  'file part': {
    tool: toolWith('body', {}, 'file()', { encoding: 'multipart' }),
    naive(url: string) {
      const [type, name] = fileParts(url);
      return multipart(`name="note"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\nhello`, keptPart);
    },
    seen: partsSeen,
    meant: () => ({ note: 'hello' }),
  },
  'text body': {
    tool: { method: 'POST', encoding: 'text', parameters: bodyParameter('string()') },
    naive: (body: string) => ({ headers: { 'X-Kept': 'mine' }, body }),
    seen: (request) => ({ ...headersSeen(request), note: request.body }),
    meant: (note: string) => ({ note }),
  },
  'file body': {
    tool: { method: 'POST', encoding: 'binary', parameters: bodyParameter('file()') },
    naive: (url: string) => ({ headers: { 'X-Kept': 'mine', 'Content-Type': fileParts(url)[0] }, body: 'hello' }),
    seen: (request) => ({ ...headersSeen(request), note: request.body }),
    meant: () => ({ note: 'hello' }),
  },
};
