import { randomUUID } from 'node:crypto';
import type { AnswerOptions } from './answer-options.ts';
import type { ToolContent, ToolResult } from './tool-result.ts';

/** What models can look at (the formats that they all take). */
const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * A body that is no text, as content: images and sounds as such, others as a resource. What is too long is kept and linked,
 * where there is a place to keep it.
 *
 * @param base64 The body.
 */
export function binaryContent(
  base64: string,
  mimeType: string,
  { maxLength, keep }: { maxLength: number } & Pick<AnswerOptions, 'keep'>,
): Pick<ToolResult, 'content' | 'isError'> {
  const size = `${Buffer.byteLength(base64, 'base64')} bytes of ${mimeType}`;
  if (base64.length > maxLength) {
    const uri = keep?.({ mimeType, blob: base64 });
    if (uri === undefined) return { content: [{ type: 'text', text: tooLarge(size, maxLength) }], isError: true };
    const link: ToolContent = { type: 'resource_link', uri, name: 'answer', mimeType, description: size };
    return { content: [{ type: 'text', text: `The answer is the resource ${uri}: ${size}.` }, link] };
  }
  if (images.has(mimeType)) return { content: [{ type: 'image', data: base64, mimeType }] };
  if (mimeType.startsWith('audio/')) return { content: [{ type: 'audio', data: base64, mimeType }] };
  const uri = `schemakit://answers/${randomUUID()}`;
  return { content: [{ type: 'resource', resource: { uri, mimeType, blob: base64 } }] };
}

function tooLarge(size: string, maxLength: number): string {
  const most = Math.floor((maxLength * 3) / 4);
  return `The answer is too large: ${size}, and ${most} are the most. Ask for a smaller one, for example for a part or a lower resolution, if the tool has parameters for it.`;
}
