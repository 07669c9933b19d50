/** A skill as the Skills extension of MCP serves it (SEP-2640): a folder of files, of which `SKILL.md` is read first. */
export interface McpSkill {
  /** Its folder: `<namespace>/<name>`. */
  path: string;
  name: string;
  description: string;
  /** Texts by path below the folder. */
  files(): Record<string, string>;
}

/**
 * The files of a skill: its text, and those of the prompts and skills that it refers to, by their MCP names. Inputs are
 * placeholders such as `<region>`, which the reader fills in.
 */
export function skillFiles(
  { name, description }: Pick<McpSkill, 'name' | 'description'>,
  {
    content,
    inputs,
    references,
  }: {
    content: string;
    inputs: readonly { name: string; description?: string; required: boolean }[];
    references: Readonly<Record<string, string>>;
  },
): Record<string, string> {
  const inputLines = inputs.map(({ name: input, description: about, required }) => {
    const meaning = about === undefined ? '' : `: ${about}`;
    return `- \`<${input}>\` (${required ? 'required' : 'optional'})${meaning}`;
  });
  const links = Object.keys(references).map((reference) => `- [${reference}](${referencePath(reference)})`);
  const parts = [
    // Text in JSON is text in YAML 1.2, too.
    `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---`,
    content.trim(),
    ...(inputLines.length > 0 ? [`## Inputs\n\n${inputLines.join('\n')}`] : []),
    ...(links.length > 0 ? [`## References\n\n${links.join('\n')}`] : []),
  ];
  const others = Object.entries(references).map(([reference, text]) => [referencePath(reference), text] as const);
  return { 'SKILL.md': `${parts.join('\n\n')}\n`, ...Object.fromEntries(others) };
}

function referencePath(reference: string): string {
  return `references/${reference}.md`;
}
