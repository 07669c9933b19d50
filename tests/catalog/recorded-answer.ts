import { readFile } from 'node:fs/promises';

/** A request as the documentation of an API has it. */
export interface RecordedRequest {
  method: string;
  /** As it stands on the wire, percent-encodings among it. */
  path: string;
  /** Decoded. */
  query: Record<string, string>;
  /** Those that the API asks for, in lower case, beside what every request has. */
  headers?: Record<string, string>;
  /** JSON. */
  body?: unknown;
}

/** What the documentation says the API answers. A body that is text is sent as it is, any other as JSON. */
export interface Exchange {
  request: RecordedRequest;
  answer: { status: number; headers: Record<string, string>; body: unknown };
}

/** The exchanges of one test of a tool, in any order: more than one where a handler asks several times. */
export interface RecordedAnswer {
  /** The page that they are written after. */
  documentation: string;
  exchanges: Exchange[];
}

/** Reads the answer to a test of a tool, the first test being 1; undefined where there is none. */
export async function readRecordedAnswer(
  namespace: string,
  tool: string,
  test: number,
): Promise<RecordedAnswer | undefined> {
  const file = new URL(`answers/${namespace}/${tool}-${test}.json`, import.meta.url);
  try {
    return JSON.parse(await readFile(file, 'utf8')) as RecordedAnswer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
