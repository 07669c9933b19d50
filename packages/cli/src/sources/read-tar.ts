/** One member of a tar file. */
export interface TarMember {
  path: string;
  kind: 'file' | 'link' | 'other';
  bytes: Uint8Array;
}

export type TarReading = { ok: true; members: TarMember[] } | { ok: false; reason: string };

const blockBytes = 512;

/**
 * Reads a tar file in memory (POSIX.1-2017 pax, ustar; long names of GNU tar). Folders are left out. A member of a kind that is
 * not known is `other`; a header that does not check out ends the reading.
 */
export function readTar(tar: Uint8Array): TarReading {
  const data = Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength);
  if (data.length < blockBytes) return { ok: false, reason: 'it is shorter than the shortest tar file' };
  const members: TarMember[] = [];
  /** What an extended header says about the member that follows. */
  let next: { path?: string; size?: number } = {};
  for (let at = 0; at + blockBytes <= data.length; ) {
    const header = data.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) break;
    if (!hasChecksum(header)) return { ok: false, reason: `the header at byte ${at} has a wrong checksum` };
    const type = String.fromCharCode(header[156] ?? 0);
    const size = isExtension(type) ? numberAt(header, 124, 12) : (next.size ?? numberAt(header, 124, 12));
    const from = at + blockBytes;
    if (!Number.isSafeInteger(size) || from + size > data.length) return { ok: false, reason: 'it ends in the middle' };
    const bytes = data.subarray(from, from + size);
    at = from + Math.ceil(size / blockBytes) * blockBytes;
    if (type === 'x') {
      const records = paxRecords(bytes);
      if (records === undefined) return { ok: false, reason: 'an extended header cannot be read' };
      next = { ...next, ...records };
    } else if (type === 'L') next = { ...next, path: textAt(bytes, 0, bytes.length) };
    else if (!isExtension(type)) {
      if (type !== '5') members.push({ path: next.path ?? nameIn(header), kind: kindOf(type), bytes });
      next = {};
    }
  }
  return { ok: true, members };
}

/** Headers about other members: pax for one or for all, and the long names of GNU tar. */
function isExtension(type: string): boolean {
  return ['x', 'g', 'L', 'K'].includes(type);
}

function kindOf(type: string): TarMember['kind'] {
  if (type === '0' || type === '\0' || type === '7') return 'file';
  return type === '1' || type === '2' ? 'link' : 'other';
}

function nameIn(header: Buffer): string {
  const name = textAt(header, 0, 100);
  const isUstar = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isUstar ? textAt(header, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** The sum of all bytes of the header, with spaces in place of the sum itself. */
function hasChecksum(header: Buffer): boolean {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  return numberAt(header, 148, 8) === sum;
}

/** Octal digits; a first byte of 0x80 says that the rest is binary (GNU tar). Not a number for anything else. */
function numberAt(buffer: Buffer, from: number, length: number): number {
  if (buffer[from] === 0x80) {
    const digits = [...buffer.subarray(from + 1, from + length)];
    return digits.reduce((total, byte) => total * 256 + byte, 0);
  }
  const text = textAt(buffer, from, length).trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

/** Text up to the first NUL. */
function textAt(buffer: Buffer, from: number, length: number): string {
  const part = buffer.subarray(from, from + length);
  const end = part.indexOf(0);
  return part.toString('utf8', 0, end === -1 ? part.length : end);
}

/** Records of a pax header, `<length> <key>=<value>\n`; only path and size matter here. */
function paxRecords(bytes: Buffer): { path?: string; size?: number } | undefined {
  const records: { path?: string; size?: number } = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.toString('latin1', at, space === -1 ? at : space));
    if (!Number.isInteger(length) || length <= 0 || bytes[at + length - 1] !== 0x0a) return undefined;
    const record = bytes.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    const value = record.slice(equals + 1);
    if (record.slice(0, equals) === 'path') records.path = value;
    if (record.slice(0, equals) === 'size') records.size = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    at += length;
  }
  return records;
}
