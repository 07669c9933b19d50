import { Buffer, isUtf8 } from 'node:buffer';
import { HostFailure } from './host/host-failure.ts';

/** A body to send, with its content type if the body implies one. */
export interface EncodedBody {
  body?: string | Uint8Array;
  contentType?: string;
}

/** Encodes a body of the classes available to the hook. */
type EncodeBody = (body: unknown) => EncodedBody | Promise<EncodedBody>;

/** The result of a hook that runs before the request. */
interface HookResult {
  value?: unknown;
  changes: Record<string, unknown>;
}

/**
 * Converts the request that a hook described to plain data: `Headers`, forms and the like would be lost in JSON. Bodies become
 * text, with their type in `bodyContentType`.
 *
 * @throws {HostFailure} for a body whose bytes are not text.
 */
export async function plainRequest(result: HookResult, encode: EncodeBody): Promise<HookResult> {
  const { value, changes } = result;
  const struct: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'struct') : undefined;
  const plainStruct = isObject(struct) ? await plainStructOf(struct, encode) : struct;
  return {
    ...result,
    ...(plainStruct !== struct && { value: { ...Object(value), struct: plainStruct } }),
    changes: await plainStructOf(changes, encode),
  };
}

async function plainStructOf(struct: Record<string, unknown>, encode: EncodeBody): Promise<Record<string, unknown>> {
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

/** The same for hooks of this process, which use the classes of Node.js. Throws, with code and hint, for a body that is not text. */
export async function plainNodeRequest(result: HookResult): Promise<HookResult> {
  try {
    return await plainRequest(result, encodeBody);
  } catch (thrown) {
    const failure = HostFailure.read(thrown);
    throw failure === undefined ? thrown : Object.assign(new Error(failure.message), failure);
  }
}

async function encodeBody(body: unknown): Promise<EncodedBody> {
  const request = new Request('http://body.invalid', { method: 'POST', body: body as never });
  const contentType = request.headers.get('content-type');
  return { body: new Uint8Array(await request.arrayBuffer()), ...(contentType !== null && { contentType }) };
}
