import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { createGuardedLookup, type Lookup } from './guarded-agent.ts';

const publicV4 = { address: '93.184.216.34', family: 4 };
const publicV6 = { address: '2606:2800:220:1::1', family: 6 };
const loopback = { address: '127.0.0.1', family: 4 };

/** Answers as a resolver would that knows these addresses. */
function resolverFor(...answers: LookupAddress[][]): Lookup {
  return ((_name: string, _options: object, callback: (error: null, found: LookupAddress[]) => void) =>
    callback(null, answers.shift() ?? [])) as Lookup;
}

function ask(lookup: Lookup, options: { all?: boolean }): Promise<unknown> {
  return new Promise((resolve, reject) => {
    createGuardedLookup(lookup)('host.example', options, (error, address) =>
      error ? reject(error) : resolve(address),
    );
  });
}

describe('createGuardedLookup', () => {
  it('returns exactly the checked addresses, from one look-up', async () => {
    await expect(ask(resolverFor([publicV4, publicV6], [loopback]), { all: true })).resolves.toEqual([
      publicV4,
      publicV6,
    ]);
    await expect(ask(resolverFor([publicV4, publicV6], [loopback]), {})).resolves.toBe(publicV4.address);
  });

  it.each([
    [[loopback]],
    [[publicV4, loopback]],
    [[publicV6, { address: '::1', family: 6 }]],
    [[{ address: '::ffff:10.0.0.1', family: 6 }]],
  ])('refuses a name if any of its addresses is not public: %j', async (found) => {
    await expect(ask(resolverFor(found), { all: true })).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
    await expect(ask(resolverFor(found), {})).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
  });

  it('accepts a look-up that does not support `all`', async () => {
    const plain = (address: string): Lookup =>
      ((_name: string, _options: object, callback: (error: null, found: string, family: number) => void) =>
        callback(null, address, 4)) as Lookup;
    await expect(ask(plain(publicV4.address), { all: true })).resolves.toEqual([publicV4]);
    await expect(ask(plain('127.0.0.1'), { all: true })).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
  });

  it('passes on the failure of a look-up', async () => {
    const failing = ((_name: string, _options: object, callback: (error: Error) => void) =>
      callback(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))) as Lookup;
    await expect(ask(failing, { all: true })).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('reports an empty answer as a name without address', async () => {
    await expect(ask(resolverFor([]), {})).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
