/** A body: JSON where it is that, else text by its lines, else bytes in base64, also in lines. Lines show well in a diff. */
export type RecordedBody = { json: unknown } | { text: string[] } | { base64: string[] };

/** A request with its secrets masked. */
export interface RecordedRequest {
  method: string;
  url: string;
  /** Those that the schema or its handlers set, by their names in lower case. */
  headers: Record<string, string>;
  body?: RecordedBody;
}

/** What came back: an answer, or the code of the failure that left none. */
export type RecordedAnswer =
  | { status: number; headers: Record<string, string>; body: RecordedBody }
  | { failure: string };

export interface RecordedExchange {
  request: RecordedRequest;
  answer: RecordedAnswer;
}

/** The requests of one test with their answers, in the order in which they were made. */
export interface Recording {
  /** Of the form of these files. */
  version: 1;
  tool: string;
  test: Record<string, unknown>;
  exchanges: RecordedExchange[];
}

/** What stands in place of a secret. */
export const mask = '[REDACTED]';

/** What an author writes in a recording in place of a part that is another one each time, such as a signature. */
export const anything = '{{ANY}}';
