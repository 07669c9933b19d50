/** A place in a text. Both numbers are 1-based; columns count UTF-16 code units. */
export interface TextPosition {
  line: number;
  column: number;
}

/** Turns offsets into lines and columns. The table of lines is built when the first one is asked for. */
export type LocateOffset = (offset: number) => TextPosition;

/** Lines end at LF, CR, CR LF, U+2028 and U+2029, as in ECMAScript. */
export function offsetLocator(text: string): LocateOffset {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Whether a text has no other line breaks than line feeds, as most have: those are found in less time. */
function hasOnlyLineFeeds(text: string): boolean {
  return !['\r', '\u2028', '\u2029'].some((lineBreak) => text.includes(lineBreak));
}

function lineStarts(text: string): number[] {
  const starts = [0];
  if (hasOnlyLineFeeds(text)) {
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
    return starts;
  }
  for (const ending of text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) starts.push(ending.index + ending[0].length);
  return starts;
}
