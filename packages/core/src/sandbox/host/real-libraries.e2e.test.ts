import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { callHook, hookOf } from '../fixtures/program.ts';
import { closeHandlerPool } from '../handler-pool.ts';
import type { HandlerLibrary } from '../handler-program.ts';
import type { BrokerRequest } from '../host-message.ts';

afterAll(closeHandlerPool);

/** Where these packages are looked for: beside the project, or in a folder that is named. They are too large to install for all. */
const root = createRequire(join(process.env.SCHEMAKIT_TEST_LIBRARIES ?? import.meta.dirname, 'x.js'));

/** A package and its dependencies, or undefined if it is not installed. */
function installed(name: string): HandlerLibrary | undefined {
  const manifests = [manifestOf(name, root)];
  for (const manifest of manifests) {
    if (manifest === undefined) return undefined;
    const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies?: object };
    for (const needed of Object.keys(dependencies)) {
      const found = manifestOf(needed, createRequire(manifest));
      if (!manifests.includes(found)) manifests.push(found);
    }
  }
  const folders = manifests.flatMap((manifest) => (manifest === undefined ? [] : [dirname(manifest)]));
  return { name, entry: root.resolve(name), folders };
}

function manifestOf(name: string, from: NodeJS.Require): string | undefined {
  for (const folder of from.resolve.paths(name) ?? []) {
    try {
      return from.resolve(join(folder, name, 'package.json'));
    } catch {
      // The next folder upwards.
    }
  }
  return undefined;
}

/** What handlers of the public library do with each of them. */
const uses: [name: string, body: string, expected: unknown][] = [
  [
    'ethers',
    `const { ethers } = libraries;
     const abi = new ethers.Interface(['function balanceOf(address owner) view returns (uint256)']);
     const data = abi.encodeFunctionData('balanceOf', ['0x' + '11'.repeat(20)]);
     const [amount] = abi.decodeFunctionResult('balanceOf', ethers.zeroPadValue('0x2a', 32));
     return [data.slice(0, 10), amount, ethers.formatUnits(1500000n, 6), ethers.id('x').slice(0, 10),
       ethers.getAddress('0x' + 'ab'.repeat(20)).length, ethers.isAddress('nope')]`,
    ['0x70a08231', '42', '1.5', '0x7521d1ca', 42, false],
  ],
  [
    'moment',
    `const { moment } = libraries;
     return [moment.utc('2026-03-14').add(1, 'month').format('YYYY-MM-DD'), moment.utc(0).isValid(),
       moment.duration(90, 'minutes').humanize(), moment.utc('2026-01-01').diff(moment.utc('2025-12-30'), 'days')]`,
    ['2026-04-14', true, '2 hours', 2],
  ],
  [
    'indicatorts',
    `const { sma, rsi, macd } = libraries.indicatorts;
     const closings = Array.from({ length: 40 }, (_, day) => 10 + (day % 5));
     return [sma(closings, { period: 5 }).at(-1), rsi(closings).length, Object.keys(macd(closings))]`,
    [12, 40, ['macdLine', 'signalLine']],
  ],
  [
    'trading-signals',
    `const { SMA, RSI } = libraries['trading-signals'];
     const sma = new SMA(3);
     for (const close of [1, 2, 3, 4]) sma.update(close, false);
     const rsi = new RSI(5);
     for (const close of [1, 2, 3, 2, 4, 5, 4]) rsi.update(close, false);
     return [Number(sma.getResult()), rsi.isStable]`,
    [3, true],
  ],
];

describe('a handler with the real', () => {
  for (const [name, body, expected] of uses) {
    const library = installed(name);
    test.skipIf(library === undefined)(`${name} computes what it should`, async () => {
      expect(await callHook(hookOf(body, { libraries: library ? [library] : [] }))).toEqual(expected);
    });
  }

  const ethers = installed('ethers');
  test.skipIf(ethers === undefined)('ethers reaches its provider through the broker, and nothing else', async () => {
    const asked: BrokerRequest[] = [];
    const body = `
      const provider = new libraries.ethers.JsonRpcProvider('https://rpc.example/key', 1, { staticNetwork: true, batchMaxCount: 1 });
      try { return String(await provider.getBlockNumber()) } finally { provider.destroy() }`;
    const fetch = async (request: BrokerRequest) => {
      asked.push(request);
      const { id } = JSON.parse(Buffer.from(request.body ?? '').toString()) as { id: number };
      const answer = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: '0x2a' }));
      const headers = { 'content-type': 'application/json' };
      return { url: request.url, status: 200, statusText: 'OK', headers, body: answer };
    };
    const libraries = ethers ? [ethers] : [];
    expect(await callHook(hookOf(body, { libraries }), {}, { fetch })).toBe('42');
    expect(new Set(asked.map(({ method, url }) => `${method} ${url}`))).toEqual(
      new Set(['POST https://rpc.example/key']),
    );
  });
});
