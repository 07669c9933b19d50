/** What handlers get for the text of an answer: what `JSON.parse` gives, for which they were written, or else the text. */
export function answerData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
