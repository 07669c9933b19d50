import type { JsonValue } from '../json.ts';
import { type Definition, type Field, isRequired } from './shape.ts';

const head = `// Written by docs/generate-format.ts from the shapes beside it. Do not edit.

/** What \`JSON.parse\` gives. Only the author of a handler knows more about an answer. */
export type Untyped = ReturnType<JSON['parse']>;`;

/** The TypeScript of all definitions, with what is said about each field in its comment. */
export function typeDeclarations(definitions: readonly Definition[]): string {
  return `${[head, ...definitions.map(declaration)].join('\n\n')}\n`;
}

function declaration(definition: Definition): string {
  const { name, about, section } = definition;
  if (definition.kind === 'alias') {
    return `${comment([about, `Specification ${section}.`])}\nexport type ${name} = ${definition.shape.type};`;
  }
  const { fields, others, deprecated } = definition;
  const members = Object.entries(fields).map(([key, field]) => member(key, field, section));
  if (others?.name) members.push(`[${others.name}: string]: ${others.shape.type};`);
  const text = comment([about, `Specification ${section}.`, ...tag('deprecated', deprecated)]);
  return `${text}\nexport interface ${name} {\n${members.join('\n')}\n}`;
}

function member(name: string, field: Field, section: string): string {
  const { shape, about, examples, deprecated } = field;
  const said = comment([about, meta(field, section), ...exampleTags(examples), ...tag('deprecated', deprecated)]);
  return `${said}\n${name}${isRequired(field) ? '' : '?'}: ${shape.type};`;
}

function meta({ missing = 'nothing', hidden, section: own }: Field, section: string): string {
  const sentences = [
    ...(missing === 'nothing' ? [] : [`When it is missing: ${missing}.`]),
    ...(hidden ? ['Can be read, but is not listed with the others.'] : []),
    `Specification ${own ?? section}.`,
  ];
  return sentences.join(' ');
}

function exampleTags(examples: readonly JsonValue[] = []): string[] {
  return examples.length === 0 ? [] : [`@example ${examples.map((example) => JSON.stringify(example)).join(', ')}`];
}

function tag(name: string, text: string | undefined): string[] {
  return text === undefined ? [] : [`@${name} ${text}`];
}

function comment(paragraphs: readonly string[]): string {
  return `/**\n * ${paragraphs.join('\n *\n * ')}\n */`;
}
