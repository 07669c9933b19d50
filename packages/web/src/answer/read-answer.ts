import type { ToolResult } from '../host/connect-host.ts';

/** A tool's answer, and what is said about it. */
export interface Answer {
  /** Undefined for an answer without data. */
  data: unknown;
  /** Images and sounds. */
  media: { kind: 'image' | 'audio'; source: string }[];
  /** What was left out to shorten it, for people. */
  cuts: string[];
  /** The resource that has all of it. */
  whole?: string;
  error?: string;
}

interface Cut {
  path: string;
  kind: 'items' | 'lines' | 'value';
  returned?: number;
  total?: number;
  length?: number;
}

/** Reads the result of a tool call; `docs/serving.md` describes its `_meta`. */
export function readAnswer({ content, structuredContent, isError = false, _meta = {} }: ToolResult): Answer {
  const texts = content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : []));
  if (isError) return { data: undefined, media: [], cuts: [], error: texts.join('\n') || 'The call failed.' };
  const [text] = texts;
  const link = content.find(({ type, name }) => type === 'resource_link' && name === 'whole answer');
  return {
    data: bestOf(text, structuredContent),
    media: content.flatMap(({ type, data, mimeType }) => {
      if (type !== 'image' && type !== 'audio') return [];
      return { kind: type, source: `data:${String(mimeType)};base64,${String(data)}` };
    }),
    cuts: cutTexts(_meta),
    ...(link && { whole: String(link.uri) }),
  };
}

/** The text has all of the data; the structured form only what fits its schema. With `structured: 'only'`, it is all there is. */
function bestOf(text: string | undefined, structured: unknown): unknown {
  const parsed = parseJson(text);
  if (structured === undefined || (typeof parsed === 'object' && parsed !== null)) return parsed;
  return structured;
}

/** Data of a text that is JSON; the text itself if it is not. */
function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function cutTexts(meta: Readonly<Record<string, unknown>>): string[] {
  const list = <Item>(name: string) => (Array.isArray(meta[name]) ? (meta[name] as Item[]) : []);
  const cuts = list<Cut>('schemakit/cuts').map(({ path, kind, returned = 0, total = 0, length = 0 }) => {
    const place = path.replace(/^\$\.?/, '') || 'The answer';
    if (kind === 'value') return `${place} was left out (${length.toLocaleString()} characters)`;
    return `${place} has the first ${returned.toLocaleString()} of ${total.toLocaleString()} ${kind}`;
  });
  const more = Number(meta['schemakit/cutCount'] ?? 0) - cuts.length;
  return [...cuts, ...(more > 0 ? [`and ${more} more`] : []), ...list<string>('schemakit/warnings')];
}
