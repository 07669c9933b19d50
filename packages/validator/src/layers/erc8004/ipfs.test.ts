import { createHash } from 'node:crypto';
import { base32nopad, base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { serveNode } from '../../../fixtures/fake-node.ts';
import { listen } from '../../../fixtures/loopback.ts';
import { registration } from '../../../fixtures/registrations.ts';
import { lookupAgent } from '../../lookup-agent.ts';

const blocks = new Map<string, Buffer>();

const multihash = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x12, 0x20]), createHash('sha256').update(bytes).digest()]);

/** Keeps a block and returns its CID, version 1. */
function keep(bytes: Buffer, codec: number): Buffer {
  const cid = Buffer.concat([Buffer.from([1, codec]), multihash(bytes)]);
  blocks.set(textOf(cid), bytes);
  return cid;
}

const textOf = (cid: Buffer): string => `b${base32nopad.encode(cid).toLowerCase()}`;

function lengthOf(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...lengthOf(Math.floor(value / 128))];
}

const part = (number: number, bytes: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, ...lengthOf(bytes.length)]), Buffer.from(bytes)]);

const unixFs = (type: number, data: Buffer): Buffer => part(1, Buffer.concat([Buffer.from([8, type]), part(2, data)]));

const text = Buffer.from(JSON.stringify(registration()));
const raw = keep(text, 0x55);
const file = keep(unixFs(2, text), 0x70);
const firstVersion = multihash(unixFs(2, text));
blocks.set(base58.encode(firstVersion), unixFs(2, text));
const halves = [text.subarray(0, 100), text.subarray(100)].map((half) => keep(half, 0x55));
const inParts = keep(Buffer.concat([...halves.map((cid) => part(2, part(1, cid))), unixFs(2, Buffer.alloc(0))]), 0x70);
const folder = keep(
  Buffer.concat([part(2, Buffer.concat([part(1, raw), part(2, 'agent.json')])), unixFs(1, Buffer.alloc(0))]),
  0x70,
);

const gateway = (changes: (cid: string) => Buffer | undefined = (cid) => blocks.get(cid)) =>
  listen(({ url }, response) => {
    const [, cid = ''] = /^\/ipfs\/(\w+)\?format=raw$/.exec(url ?? '') ?? [];
    const block = changes(cid);
    response.writeHead(block === undefined ? 404 : 200).end(block);
  });

async function lookUp(uri: string, ipfsGateways: string[], options: { publicOnly?: boolean } = {}) {
  const { origin } = await serveNode({ 0: { uri, feedback: [{ value: 1n }] } });
  return lookupAgent({ agentId: 0, chainId: 8453, rpcNodes: { BASE_MAINNET: origin }, ipfsGateways, ...options });
}

describe('a registration in IPFS', () => {
  it.each([
    ['a block of bytes', `ipfs://${textOf(raw)}`],
    ['a file', `ipfs://${textOf(file)}`],
    ['a CID of version 0', `ipfs://ipfs/${base58.encode(firstVersion)}`],
    ['a file in two blocks', `ipfs://${textOf(inParts)}`],
    ['a file in a folder', `ipfs://${textOf(folder)}/agent.json`],
  ])('is read and checked: %s', async (_, uri) => {
    const { origin } = await gateway();
    const agent = await lookUp(uri, [`${origin}/ipfs/`]);
    expect(agent.messages).toEqual([]);
    expect(agent).toMatchObject({ uriType: 'ipfs', name: 'Tide agent' });
  });

  it('comes from the next gateway if one lies or has nothing', async () => {
    const lying = await gateway(() => Buffer.from(JSON.stringify(registration({ name: 'Fake' }))));
    const [empty, right] = [await gateway(() => undefined), await gateway()];
    const agent = await lookUp(`ipfs://${textOf(raw)}`, [lying.origin, empty.origin, right.origin]);
    expect(agent).toMatchObject({ status: true, name: 'Tide agent' });
    expect(await lookUp(`ipfs://${textOf(raw)}`, [lying.origin, empty.origin])).toMatchObject({
      status: false,
      registration: null,
      messages: [expect.stringMatching(/^URI-009 agentURI: the block is not the one that b/)],
    });
  });

  it.each([
    ['no CID', 'ipfs://hello', 'URI-002'],
    ['a folder', `ipfs://${textOf(folder)}`, 'URI-002'],
    ['a file that is not in the folder', `ipfs://${textOf(folder)}/other.json`, 'URI-002'],
  ])('names %s', async (_, uri, code) => {
    const { findings } = await lookUp(uri, [(await gateway()).origin]);
    expect(findings.map((found) => found.code)).toEqual([code]);
  });

  it('in too many blocks is refused', async () => {
    const many = Array.from({ length: 100 }, (_, i) => part(2, part(1, keep(Buffer.from([i]), 0x55))));
    const root = keep(Buffer.concat([...many, unixFs(2, Buffer.alloc(0))]), 0x70);
    const { origin, requests } = await gateway();
    const { findings } = await lookUp(`ipfs://${textOf(root)}`, [origin]);
    expect(findings.map(({ code }) => code)).toEqual(['URI-006']);
    expect(requests.length).toBeLessThan(70);
  });
});
