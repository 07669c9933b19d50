import type { HttpAnswer } from '@schemakit/http';

/** Says in progress reports that an answer has come. */
export function answeredText({ status, byteLength }: Pick<HttpAnswer, 'status' | 'byteLength'>): string {
  return `The API answered with HTTP ${status} and ${sizeText(byteLength)}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
