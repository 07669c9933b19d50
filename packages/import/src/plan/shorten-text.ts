/** A description for models: plain text in one line, and whether something had to go. */
export interface ShortText {
  text: string;
  isCut: boolean;
}

/** Shortens Markdown or HTML to one line of at most `max` characters, at the end of a sentence where there is one. */
export function shortenText(source: unknown, max: number): ShortText {
  const full = typeof source === 'string' ? plainText(source) : '';
  if (full.length <= max) return { text: full, isCut: false };
  const room = full.slice(0, max);
  const sentence = /^[\s\S]*?[\p{L}\p{N})"'`\]]{2}[.!?](?=\s)/u;
  let end = 0;
  for (let next = sentence.exec(room); next !== null; next = sentence.exec(room.slice(end))) end += next[0].length;
  if (end >= Math.min(20, max / 4)) return { text: room.slice(0, end), isCut: true };
  const words = room.slice(0, max - 1).replace(/\s+\S*$/, '');
  return { text: `${words.replace(/[,;:(\s]+$/, '')}…`, isCut: true };
}

function plainText(source: string): string {
  return (
    source
      .replace(/<!--[\s\S]*?-->/g, ' ')
      .replace(/<\/?[a-zA-Z][^<>]*>/g, ' ')
      .replace(/!?\[([^\][]*)\]\((?:[^()]|\([^()]*\))*\)/g, '$1')
      .replace(/^\s*(?:#{1,6}|>|```\w*|[-*+](?=\s))\s*/gm, '')
      .replace(/(\*\*|__)(?=\S)([^*_]+?)\1/g, '$2')
      // Placeholders of the format would be filled in.
      .replaceAll('{{', '{ {')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
  );
}
