/** The type and subtype of a `Content-Type`, in lower case; undefined where it is none (RFC 9110, 8.3.1). */
export function mediaTypeOf(contentType: unknown): string | undefined {
  const essence = typeof contentType === 'string' ? (contentType.split(';', 1)[0] ?? '').trim().toLowerCase() : '';
  return /^[^\s/]+\/[^\s/]+$/.test(essence) ? essence : undefined;
}

export function isJsonMediaType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType.endsWith('+json') || mediaType === 'text/json';
}

/** Whether answers of this type are bytes, which tools answer as base64 text. */
export function isBinaryMediaType(mediaType: string): boolean {
  if (/^(image|audio|video|font)\//.test(mediaType)) return mediaType !== 'image/svg+xml';
  return /^application\/(octet-stream|pdf|zip|gzip|x-protobuf|protobuf|wasm|msgpack|vnd\.ms-|vnd\.openxml)/.test(
    mediaType,
  );
}
