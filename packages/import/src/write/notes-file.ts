import type { Omission } from '../import-codes.ts';

interface Notes {
  title: string;
  tools: readonly { name: string; notes: readonly { title: string; text: string }[] }[];
  /** Descriptions of members and answers, by their place in the document. */
  parts: ReadonlyMap<string, string>;
  omissions: readonly Omission[];
}

/** A page with what the schema files do not have: the full texts of shortened descriptions, and what was left out. */
export function notesFile({ title, tools, parts, omissions }: Notes): string {
  const rows = omissions.map(
    ({ code, pointer, message, hint }) => `- ${code} \`${pointer || '/'}\`: ${message}. ${hint}`,
  );
  const texts = tools.map(
    ({ name, notes }) =>
      `### ${name}\n\n${notes.map(({ title: part, text }) => `${part === '' ? '' : `\`${part}\`: `}${text.trim()}\n`).join('\n')}`,
  );
  const inner = [...parts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const partTexts = inner.map(([pointer, text]) => `\`${pointer}\`: ${text.trim()}`);
  return [
    `# ${title}`,
    ...(rows.length > 0 ? [`## Left out\n\n${rows.join('\n')}`] : []),
    ...(texts.length > 0 ? ['## Full descriptions', ...texts] : []),
    ...(partTexts.length > 0 ? ['## Full descriptions of members', ...partTexts] : []),
  ]
    .map((part) => `${part.trimEnd()}\n`)
    .join('\n');
}
