/** The beginning of a body as text, at most `maxBytes` of it; the rest is not waited for. A body that breaks off counts as far as it came. */
export async function readStart(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    // As far as it came.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
}
