/** The whole of an answer of which a client gets a part. */
export type WholeAnswer = { mimeType: string; text: string } | { mimeType: string; blob: string };

/** How the answer of a tool is put for a client. */
export interface AnswerOptions {
  /** The part of the data that is wanted: a JMESPath expression. */
  select?: string | undefined;
  /**
   * How long its text may be, in UTF-16 units. Data beyond it loses items of its lists, texts lose lines; the answer says what
   * it lacks. Default 4 MiB, beyond which an answer is an error: clients of the MCP SDK end the session over it.
   */
  maxLength?: number | undefined;
  /** Whether a tool with an output schema answers data as text too: `both`, or `only` structured with a note as text. */
  structured?: 'both' | 'only' | undefined;
  /** Keeps what does not fit, and returns the address at which it can be read; undefined where it cannot be kept. */
  keep?: ((answer: WholeAnswer) => string | undefined) | undefined;
  /**
   * Takes the structured content of an answer and its JSON text, where that is the text of the answer: who writes the answer need
   * not write the content once more. The text may have line ends between its tokens.
   */
  onStructuredText?: ((content: object, text: string) => void) | undefined;
}
