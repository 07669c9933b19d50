import type { RequestId } from '@modelcontextprotocol/server';

/**
 * Writes the messages of one connection as JSON. What is JSON text already is left with it by the server of that connection, and is
 * not written once more: the structured content of answers, which stands in them as text too.
 */
export interface MessageWriter {
  /** Takes the structured content of the answer to a request as JSON text. */
  keep(id: RequestId, text: string): void;
  /** For an answer that it does not write. */
  forget(id: RequestId): void;
  /**
   * The JSON of a message, without line ends.
   *
   * @param end What is to stand after it. Default nothing.
   */
  write(message: object, end?: string): string;
}

interface Answer {
  id?: RequestId;
  result?: {
    structuredContent?: unknown;
    content?: readonly { text?: unknown }[];
  };
}

export function createMessageWriter(): MessageWriter {
  const texts = new Map<RequestId, string>();

  /** The text that was kept for an answer. Two requests may have one id, but what an answer says as text is its own. */
  function textFor({ id, result }: Answer): string | undefined {
    const text = id === undefined ? undefined : texts.get(id);
    if (text === undefined) return undefined;
    texts.delete(id as RequestId);
    return result?.structuredContent !== undefined && result.content?.[0]?.text === text ? text : undefined;
  }

  return {
    keep(id, text) {
      // JSON may have line ends between its tokens; who wrote this text is not asked.
      if (!/[\r\n]/.test(text)) texts.set(id, text);
    },
    forget(id) {
      texts.delete(id);
    },
    write(message: Answer, end = '') {
      const text = textFor(message);
      if (text !== undefined) {
        const { result: { structuredContent: _, ...others } = {}, ...envelope } = message;
        return `{${fields(envelope)}"result":{${fields(others)}"structuredContent":${text}}}${end}`;
      }
      return `${JSON.stringify(message)}${end}`;
    },
  };
}

/** The fields of an object as JSON, each with a comma after it. */
function fields(object: object): string {
  const text = JSON.stringify(object).slice(1, -1);
  return text === '' ? '' : `${text},`;
}
