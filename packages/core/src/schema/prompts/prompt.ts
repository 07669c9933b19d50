import { nearestWord } from '../nearest-word.ts';

export type PromptTargetKind = 'tool' | 'resource' | 'skill' | 'prompt';

/** A part of a prompt text. `name` is as written; `promptTargets` resolves it. */
export type PromptPart =
  | { kind: 'text'; text: string }
  | { kind: PromptTargetKind; name: string }
  /** A value from the caller, by the name of the argument. */
  | { kind: 'input'; name: string };

/** A value that a caller passes. */
export interface PromptArgument {
  name: string;
  description?: string;
  required: boolean;
  type: 'string' | 'number' | 'boolean' | 'enum';
  /** The allowed values of an enum; suggestions for other types. */
  values?: readonly string[];
}

/** Another prompt that is sent together with the one that names it. */
export interface PromptReference {
  kind: 'skill' | 'prompt';
  /** As its author wrote it. */
  name: string;
}

/** A text for models: the steps of a workflow (skill), or an explanation of a provider's tools (prompt). */
export interface Prompt {
  /** The key in `main`; unique among the skills, and among the prompts, of a schema. */
  name: string;
  kind: 'skill' | 'prompt';
  /** May be empty. */
  description: string;
  arguments: readonly PromptArgument[];
  content: readonly PromptPart[];
  references: readonly PromptReference[];
}

export interface PromptDefinition {
  name: string;
  kind: 'skill' | 'prompt';
  /** Path in `main`. */
  path: string;
  /** A file relative to the schema, or the text itself. */
  source: { file: string } | { content: string };
  description?: string;
  dependsOn?: readonly string[];
  references?: readonly string[];
}

export interface ParsePromptTextOptions {
  /** Reads `[[…]]`, the older notation of prompts, as well. Default false. */
  brackets?: boolean;
  /** Called for unknown placeholders that resemble a known one. */
  onMisspelt?: (source: string, meant: string) => void;
}

const targetKinds: readonly PromptTargetKind[] = ['tool', 'resource', 'skill', 'prompt'];
const braces = /\{\{\s*([A-Za-z]+):([A-Za-z0-9_./-]+)\s*\}\}/g;
// `[[text]](address)` is a link of Markdown, and `[[1]]` a list in a list.
const bracesOrBrackets = new RegExp(`${braces.source}|\\[\\[\\s*([A-Za-z_][A-Za-z0-9_./-]*)\\s*\\]\\](?!\\()`, 'g');

/**
 * Splits the text of a skill or a prompt at its placeholders: `{{tool:x}}`, `{{resource:x}}`, `{{skill:x}}`,
 * `{{prompt:x}}` and `{{input:x}}`; with `brackets` also `[[namespace/type/name]]` and `[[input]]`. Everything else is
 * text.
 */
export function parsePromptText(
  text: string,
  { brackets = false, onMisspelt }: ParsePromptTextOptions = {},
): readonly PromptPart[] {
  const parts: PromptPart[] = [];
  let end = 0;
  for (const match of text.matchAll(brackets ? bracesOrBrackets : braces)) {
    const [source, word = '', name = '', bracketed] = match;
    const part = bracketed === undefined ? bracePart(word, name) : bracketPart(bracketed);
    if (part === undefined) {
      const meant = nearestWord(word, [...targetKinds, 'input']);
      if (meant !== undefined) onMisspelt?.(source, `{{${meant}:${name}}}`);
      continue;
    }
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) });
    parts.push(part);
    end = match.index + source.length;
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

export function promptTargetKind(word: string | undefined): PromptTargetKind | undefined {
  return targetKinds.find((kind) => kind === word);
}

function bracePart(word: string, name: string): PromptPart | undefined {
  const kind = word === 'input' ? word : promptTargetKind(word);
  return kind && { kind, name };
}

/** `[[namespace/type/name]]` or `[[namespace/name]]`, which is a tool; without a slash, what the caller passes. */
function bracketPart(name: string): PromptPart {
  if (!name.includes('/')) return { kind: 'input', name };
  return { kind: promptTargetKind(name.split('/')[1]) ?? 'tool', name };
}
