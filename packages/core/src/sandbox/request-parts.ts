import { Buffer, isUtf8 } from 'node:buffer';
import { HostFailure } from './host/thrown.ts';

/** A body as it is sent, and the type that goes with it where the body says one. */
export interface EncodedBody {
  body?: string | Uint8Array;
  contentType?: string;
}

/** What a hook before the request returned, and what it changed in its `struct`. */
interface Written {
  value?: unknown;
  changes: Record<string, unknown>;
}

/**
 * Writes the request that a hook described as plain data: what `fetch` takes in its place, such as `Headers` and a form, has
 * its content where no JSON would find it. Bodies become text, whose type is in `bodyContentType`.
 *
 * @param encode - Encodes a body of the classes that the hook had.
 * @throws {HostFailure} for a body of bytes that are no text.
 */
export async function requestParts(
  written: Written,
  encode: (body: unknown) => EncodedBody | Promise<EncodedBody>,
): Promise<Written> {
  const { value, changes } = written;
  const struct: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'struct') : undefined;
  const plainStruct = isObject(struct) ? await plainRequest(struct, encode) : struct;
  return {
    ...written,
    ...(plainStruct !== struct && { value: { ...Object(value), struct: plainStruct } }),
    changes: await plainRequest(changes, encode),
  };
}

async function plainRequest(
  struct: Record<string, unknown>,
  encode: (body: unknown) => EncodedBody | Promise<EncodedBody>,
): Promise<Record<string, unknown>> {
  const plain: Record<string, unknown> = {};
  const { url, headers, queryParams } = struct;
  if (tagOf(url) === 'URL') plain.url = String(url);
  if (listTags.has(tagOf(headers))) plain.headers = Array.from(headers as Iterable<unknown>);
  if (listTags.has(tagOf(queryParams))) plain.queryParams = Array.from(queryParams as Iterable<unknown>);
  for (const field of ['body', 'requestBody']) {
    if (!isEncoded(struct[field])) continue;
    const { body = '', contentType } = await encode(struct[field]);
    plain[field] = asText(body, field);
    if (contentType !== undefined) plain.bodyContentType = contentType;
  }
  return Object.keys(plain).length === 0 ? struct : { ...struct, ...plain };
}

const listTags: ReadonlySet<string> = new Set(['Headers', 'URLSearchParams', 'Map']);
const bodyTags: ReadonlySet<string> = new Set(['URLSearchParams', 'FormData', 'Blob', 'File', 'ArrayBuffer']);

function isEncoded(body: unknown): boolean {
  return ArrayBuffer.isView(body) || bodyTags.has(tagOf(body));
}

function asText(body: string | Uint8Array, field: string): string {
  if (typeof body === 'string') return body;
  if (isUtf8(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  throw new HostFailure({
    code: 'HANDLER_RESULT_INVALID',
    message: `struct.${field} has bytes that are no text, which a planned request cannot send`,
    hint: 'Send them with fetch in an executeRequest handler.',
  });
}

function tagOf(value: unknown): string {
  return isObject(value) ? Object.prototype.toString.call(value).slice('[object '.length, -1) : '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Does for hooks of this process, which have the classes of Node.js, what a host does for those in it.
 *
 * @throws An error with code and hint for a body of bytes that are no text.
 */
export async function ownRequestParts(
  written: Parameters<typeof requestParts>[0],
): Promise<Awaited<ReturnType<typeof requestParts>>> {
  try {
    return await requestParts(written, encodeBody);
  } catch (thrown) {
    const failure = HostFailure.read(thrown);
    throw failure === undefined ? thrown : Object.assign(new Error(failure.message), failure);
  }
}

async function encodeBody(body: unknown): Promise<{ body: Uint8Array; contentType?: string }> {
  const request = new Request('http://body.invalid', { method: 'POST', body: body as never });
  const contentType = request.headers.get('content-type');
  return { body: new Uint8Array(await request.arrayBuffer()), ...(contentType !== null && { contentType }) };
}
