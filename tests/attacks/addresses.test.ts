import type { LookupAddress, LookupOptions } from 'node:dns';
import { get } from 'node:http';
import { SchemaKit } from '@schemakit/core';
import { createHttpClient, HttpError, type Lookup } from '@schemakit/http';
import { describe, expect, test } from 'vitest';
import { loadLoopbackSchema } from '../e2e/support/loopback-schema.ts';
import { loadText, mainWith, moduleText } from '../e2e/support/schema-module.ts';
import { startUpstream, type Upstream } from '../e2e/support/upstream.ts';
import { lookups, spellings } from './addresses.ts';

describe.each(spellings)('$name', ({ address, outcome }) => {
  test('reaches who only looks for known texts', async () => {
    const inside = await startUpstream();
    const url = spelled(address, inside);
    expect(/^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(url)).toBe(false);
    await ask(url);
    expect(inside.requests).toHaveLength(1);
  });

  test(`is no root that a schema from elsewhere can have: ${outcome}`, async () => {
    const inside = await startUpstream();
    const main = mainWith({ root: spelled(address, inside) });
    const { main: loaded, findings } = await loadText(moduleText(main), { approveRoot: false });
    const called = await SchemaKit.fetch({ main: loaded, routeName: 'getThing' });
    expect(inside.requests).toEqual([]);
    const codes = [...findings, ...called.findings]
      .filter(({ severity }) => severity === 'error')
      .map(({ code }) => code);
    expect(codes).toContain(outcome);
  });

  test('is nothing that a hook can put in the place of the root', async () => {
    const [inside, own] = [await startUpstream(), await startUpstream()];
    const url = JSON.stringify(spelled(address, inside));
    const handlers = `() => ({ getThing: { preRequest: async ({ struct }) => { struct.url = ${url}; return { struct }; } } })`;
    const { main } = await loadLoopbackSchema({ root: own.origin, handlers });
    const { status } = await SchemaKit.fetch({ main, routeName: 'getThing' });
    expect({ status, requests: inside.requests }).toEqual({ status: false, requests: [] });
  });

  test('is nothing that an answer can redirect to', async () => {
    const inside = await startUpstream();
    const location = encodeURI(decodeURI(spelled(address, inside)));
    const own = await startUpstream(() => ({ status: 302, headers: { location } }));
    const { main } = await loadLoopbackSchema({ root: own.origin });
    const { status } = await SchemaKit.fetch({ main, routeName: 'getThing' });
    expect({ status, requests: inside.requests }).toEqual({ status: false, requests: [] });
  });
});

describe.each(lookups)('$name', ({ answers, outcome }) => {
  test('reaches who checks the name and then asks for it', async () => {
    const inside = await startUpstream();
    const lookup = lookupOf(answers);
    const url = `http://api.example.com:${portOf(inside)}/`;
    // Who checks only texts, or only the first look-up, finds nothing to complain about.
    if (answers.length > 1) await new Promise((resolve) => lookup('api.example.com', {}, resolve));
    await ask(url, lookup);
    expect(inside.requests).toHaveLength(1);
  });

  test(`does not reach who uses the HTTP client: ${outcome}`, async () => {
    const inside = await startUpstream();
    const client = createHttpClient({ lookup: lookupOf(answers), timeoutMs: 300, retries: 2 });
    const failure: unknown = await client
      .request({ url: `http://api.example.com:${portOf(inside)}/`, method: 'GET' })
      .catch((error) => error);
    await client.close();
    expect(inside.requests).toEqual([]);
    expect(failure).toBeInstanceOf(HttpError);
    if (answers.length === 1) expect(failure).toMatchObject({ code: outcome });
  });
});

function spelled(address: string, { origin }: Upstream): string {
  return address.replace('%PORT%', portOf({ origin }));
}

function portOf({ origin }: Pick<Upstream, 'origin'>): string {
  return new URL(origin).port;
}

/** Asks for an address as any program does. */
function ask(url: string, lookup?: Lookup): Promise<void> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const options = { host, port, agent: false, ...(lookup && { lookup }) };
    get(options, (response) => response.resume().on('end', resolve)).on('error', reject);
  });
}

/** A look-up that gives one list after the other, the last one from then on. */
function lookupOf(answers: readonly (readonly string[])[]): Lookup {
  let count = 0;
  const lookup = (_name: string, options: LookupOptions, callback: (...args: unknown[]) => void): void => {
    const addresses = answers[Math.min(count, answers.length - 1)] ?? [];
    count += 1;
    const found = addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address, found[0]?.family);
  };
  return lookup as Lookup;
}
