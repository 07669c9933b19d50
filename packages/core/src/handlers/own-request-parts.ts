import { HostFailure } from './host/thrown.ts';
import { requestParts } from './request-parts.ts';

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
