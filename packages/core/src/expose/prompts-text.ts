import type { Prompt, PromptPart, PromptTargetKind } from '../format/prompts/prompt.ts';

/** What stands where an optional argument was not given. */
const notGiven = '(not given)';

export interface RenderPromptOptions {
  values: ReadonlyMap<string, string>;
  /** What a name is called where the text is read. */
  nameOf(kind: PromptTargetKind, name: string): string;
}

/**
 * The text of a prompt with its placeholders replaced. Values are put in as they are and never searched. Those that the text
 * has no place for stand in a list at its end.
 */
export function renderPrompt(
  { content, arguments: declared }: Prompt,
  { values, nameOf }: RenderPromptOptions,
): string {
  const text = content.map((part) => renderPart(part, { values, nameOf })).join('');
  const placed = new Set(content.flatMap((part) => (part.kind === 'input' ? part.name : [])));
  const others = declared.flatMap(({ name }) => {
    const value = placed.has(name) ? undefined : values.get(name);
    return value === undefined ? [] : `- ${name}: ${value}`;
  });
  return others.length === 0 ? text : `${text.trimEnd()}\n\nInput:\n${others.join('\n')}`;
}

function renderPart(part: PromptPart, { values, nameOf }: RenderPromptOptions): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'input':
      return values.get(part.name) ?? notGiven;
    default:
      return nameOf(part.kind, part.name);
  }
}
