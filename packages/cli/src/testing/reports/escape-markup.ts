/**
 * Text inside of XML and HTML, and of their attributes. Characters that XML 1.0 cannot hold, in whatever spelling, are
 * written as their code points.
 */
export function escapeMarkup(text: string): string {
  return text.replace(/[<>&"']|[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]|\r/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return references[character] ?? `\\u{${code.toString(16)}}`;
  });
}

const references: Readonly<Record<string, string>> = {
  ...{ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', "'": '&#39;' },
  // A reader of XML takes it for a line break.
  '\r': '&#13;',
};
