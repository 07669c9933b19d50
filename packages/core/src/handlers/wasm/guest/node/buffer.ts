// `node:buffer` in a VM: what the code of hosts uses of it. Handlers never see it, and it is not what they would take for one.

interface Base64 {
  toBase64(): string;
}

const fromBase64: (text: string) => Uint8Array = Reflect.get(Uint8Array, 'fromBase64');
const decoder = new TextDecoder();

class Bytes extends Uint8Array<ArrayBufferLike> {
  override toString(encoding?: 'base64'): string {
    return encoding === 'base64' ? (this as unknown as Base64).toBase64() : decoder.decode(this);
  }

  override includes(part: unknown): boolean {
    const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : (part as Uint8Array);
    const [first] = bytes;
    if (first === undefined) return true;
    for (let at = this.indexOf(first); at >= 0; at = this.indexOf(first, at + 1)) {
      if (bytes.every((byte, index) => this[at + index] === byte)) return true;
    }
    return false;
  }
}

export const Buffer = {
  from(source: string | ArrayBufferLike, ...rest: unknown[]): Bytes {
    if (typeof source !== 'string') {
      const [offset, length] = rest as [number?, number?];
      return new Bytes(source, offset, length);
    }
    const bytes = rest[0] === 'base64' ? decodeBase64(source) : new TextEncoder().encode(source);
    return new Bytes(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  },
};

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** As Node.js reads it: both alphabets, and whatever is no letter of them is left out. */
function decodeBase64(text: string): Uint8Array {
  const [digits = ''] = text.replaceAll('-', '+').replaceAll('_', '/').split('=');
  const kept = digits.replace(/[^A-Za-z0-9+/]/g, '');
  return fromBase64(kept.length % 4 === 1 ? kept.slice(0, -1) : kept);
}
