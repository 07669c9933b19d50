import { createHash } from 'node:crypto';
import { base32nopad, base58 } from '@scure/base';

/** Why there is no registration file. */
export class UriFault extends Error {
  readonly code: `URI-00${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;
  constructor(code: UriFault['code'], text: string) {
    super(text);
    this.code = code;
  }
}

export interface IpfsOptions {
  /** Gets a block by its CID; the bytes are not checked yet. */
  getBlock: (cid: string) => Promise<Uint8Array>;
  maxBytes: number;
}

interface Cid {
  text: string;
  isRaw: boolean;
  /** SHA-256. */
  digest: Buffer;
}

const RAW = 0x55;
const DAG_PB = 0x70;

const MAX_BLOCKS = 64;

/** Reads a file of IPFS block by block. Each block is checked, so that gateways need not be trusted. Files, directories and files in several blocks; SHA-256 only. */
export async function readIpfs(uri: string, { getBlock, maxBytes }: IpfsOptions): Promise<string> {
  const [root = '', ...path] = uri
    .replace(/^(?:ipfs:\/\/|\/)?(?:ipfs\/)*/, '')
    .replace(/[?#].*$/s, '')
    .split('/')
    .filter(Boolean)
    .map(decodeURIComponent);
  let blocks = 0;
  const readNode = async (cid: Cid): Promise<Node> => {
    if (++blocks > MAX_BLOCKS) throw new UriFault('URI-006', `the file has more than ${MAX_BLOCKS} blocks`);
    const bytes = await getBlock(cid.text);
    if (!createHash('sha256').update(bytes).digest().equals(cid.digest))
      throw new UriFault('URI-009', `the block is not the one that ${cid.text} names`);
    return cid.isRaw ? { isDirectory: false, data: bytes, links: [] } : parseNode(bytes);
  };
  let size = 0;
  const parts: Uint8Array[] = [];
  const readFile = async ({ isDirectory, data, links }: Node): Promise<void> => {
    if (isDirectory) throw new Error('this is a directory, not a file');
    size += data.length;
    if (size > maxBytes) throw new UriFault('URI-006', `the file is larger than ${maxBytes} bytes`);
    parts.push(data);
    for (const { hash } of links) await readFile(await readNode(cidOfBytes(hash)));
  };
  let node = await readNode(parseCid(root));
  for (const name of path) {
    const link = node.isDirectory ? node.links.find((one) => one.name === name) : undefined;
    if (link === undefined) throw new Error(`the directory has no file \`${name}\``);
    node = await readNode(cidOfBytes(link.hash));
  }
  await readFile(node);
  return Buffer.concat(parts).toString('utf8');
}

function parseCid(text: string): Cid {
  try {
    if (/^Qm\w{44}$/.test(text) || text.startsWith('z')) return cidOfBytes(base58.decode(text.replace(/^z/, '')));
    if (/^b/i.test(text)) return cidOfBytes(base32nopad.decode(text.slice(1).toUpperCase()));
  } catch {
    // Not a CID.
  }
  throw new Error(`\`${text.slice(0, 80)}\` is not a CID with SHA-256`);
}

function cidOfBytes(bytes: Uint8Array): Cid {
  const isFirst = bytes.length === 34;
  const [version, codec] = isFirst ? [0, DAG_PB] : bytes;
  const hash = bytes.subarray(isFirst ? 0 : 2);
  const isKnown = (isFirst || version === 1) && (codec === RAW || codec === DAG_PB);
  if (!isKnown || hash.length !== 34 || hash[0] !== 0x12 || hash[1] !== 0x20)
    throw new Error('the CID is not one of a file with SHA-256');
  const text = isFirst ? base58.encode(bytes) : `b${base32nopad.encode(bytes).toLowerCase()}`;
  return { text, isRaw: codec === RAW, digest: Buffer.from(hash.subarray(2)) };
}

interface Node {
  isDirectory: boolean;
  data: Uint8Array;
  links: { hash: Uint8Array; name: string }[];
}

/** Parses a node of DAG-PB with UnixFS inside. */
function parseNode(bytes: Uint8Array): Node {
  const fields = parseProtobuf(bytes);
  const unixFs = parseProtobuf(bytesOf(fields, 1));
  const type = unixFs.find(([number]) => number === 1)?.[1];
  if (type !== 0 && type !== 1 && type !== 2) throw new Error('the block is neither a file nor a plain directory');
  const links = fields
    .flatMap(([number, link]) => (number === 2 && link instanceof Uint8Array ? [parseProtobuf(link)] : []))
    .map((link) => ({ hash: bytesOf(link, 1), name: Buffer.from(bytesOf(link, 2)).toString('utf8') }));
  return { isDirectory: type === 1, data: bytesOf(unixFs, 2), links };
}

type Field = readonly [number: number, value: number | Uint8Array];

function bytesOf(fields: readonly Field[], wanted: number): Uint8Array {
  const value = fields.find(([number]) => number === wanted)?.[1];
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** Numbers and bytes are the only kinds that DAG-PB and UnixFS use. */
function parseProtobuf(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readNumber = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined || scale > 2 ** 49) throw new Error('the block is broken');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = readNumber();
    const kind = tag % 8;
    if (kind !== 0 && kind !== 2) throw new Error('the block is broken');
    const value = readNumber();
    if (kind === 0) fields.push([Math.floor(tag / 8), value]);
    else {
      if (at + value > bytes.length) throw new Error('the block is broken');
      fields.push([Math.floor(tag / 8), bytes.subarray(at, at + value)]);
      at += value;
    }
  }
  return fields;
}
