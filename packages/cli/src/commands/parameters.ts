import { statSync } from 'node:fs';
import type { CommandContext } from '@stricli/core';

/** Rejects an empty path or name: it usually comes from an unset variable, and would mean the whole folder. */
export function notEmpty(text: string): string {
  if (text.trim() === '') throw new Error('It is empty');
  return text;
}

interface Parsed<Value> extends Proposing {
  kind: 'parsed';
  parse: (given: string) => Value;
  brief: string;
  placeholder: string;
}

interface Optional<Value> extends Parsed<Value> {
  optional: true;
}

export interface Proposing {
  proposeCompletions?: (partial: string) => readonly string[] | Promise<readonly string[]>;
}

/** The context of a completion. */
export interface CompletionContext extends CommandContext {
  /** The words before the one that is being typed, without `--cwd` and `--json`. */
  words?: readonly string[];
}

/** An optional flag with a text that is not empty. */
export function textFlag(brief: string, placeholder: string): Optional<string> {
  return { kind: 'parsed', parse: notEmpty, optional: true, brief, placeholder };
}

export function textsFlag(brief: string, placeholder: string): Optional<string> & { variadic: true } {
  return { ...textFlag(brief, placeholder), variadic: true };
}

/** An optional flag with any text, also an empty one. */
export function anyText(brief: string, placeholder: string): Optional<string> {
  return { ...textFlag(brief, placeholder), parse: String };
}

export function anyTexts(brief: string, placeholder: string): Optional<string> & { variadic: true } {
  return { ...anyText(brief, placeholder), variadic: true };
}

interface YesNo {
  kind: 'boolean';
  brief: string;
  default: boolean;
}

export function yesNo(brief: string): YesNo {
  return { kind: 'boolean', brief, default: false };
}

/** A flag that is on unless `--no-<name>` is given, which is what `brief` describes. */
export function negatable(brief: string): YesNo {
  return { kind: 'boolean', brief, default: true };
}

interface Range {
  min?: number;
  max?: number;
}

export function numberFlag(
  brief: string,
  placeholder: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER, value }: Range & { value: number },
): Parsed<number> & { default: string } {
  return { kind: 'parsed', parse: wholeNumber({ min, max }), brief, placeholder, default: String(value) };
}

export function optionalNumber(
  brief: string,
  placeholder: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: Range,
): Optional<number> {
  return { kind: 'parsed', parse: wholeNumber({ min, max }), optional: true, brief, placeholder };
}

function wholeNumber({ min, max }: Required<Range>): (given: string) => number {
  return (given) => {
    const value = given.trim() === '' ? Number.NaN : Number(given);
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw new Error(`expected a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`);
  };
}

export const lockFlag: Optional<string> = textFlag('Lock file (default: the nearest schemakit.lock.json)', 'file');

export const envFileFlag: Optional<string> = {
  ...textFlag('File of secrets, read before the .env of the project and the global one', 'file'),
  parse(file) {
    const info = statSync(notEmpty(file), { throwIfNoEntry: false });
    if (info?.isFile() !== true) throw new Error(`there is no file ${file}`);
    return file;
  },
};

export const environmentFlags: { env: Optional<string>; yes: ReturnType<typeof yesNo> } = {
  env: {
    ...textFlag('Environment of the project settings, with other roots', 'name'),
    proposeCompletions: async () => (await import('./completion/propose-names.ts')).proposeEnvironments(),
  },
  yes: yesNo('Accept the roots of --env without asking'),
};

export const groupFlag: Optional<string> = {
  ...textFlag('Group of tools (default: the default group)', 'name'),
  proposeCompletions: async () => (await import('./completion/propose-names.ts')).proposeGroups(),
};

export const sourceFlag: Optional<string> = {
  ...textFlag('All schemas of this imported source', 'name'),
  proposeCompletions: async () => (await import('./completion/propose-names.ts')).proposeSources(),
};

/** `process`: schemas of one source share host processes. `schema`: each schema has its own. */
export type Isolation = 'process' | 'schema';

export const isolationFlag: Parsed<Isolation> & { default: string } = {
  kind: 'parsed',
  parse: parseIsolation,
  brief: 'Sandbox processes of handlers: shared by the schemas of a source, or separate for each schema',
  placeholder: 'process|schema',
  default: 'process',
  proposeCompletions: () => ['process', 'schema'],
};

function parseIsolation(text: string): Isolation {
  if (text === 'process' || text === 'schema') return text;
  if (text === 'wasm') throw new Error('WebAssembly isolation was removed; use process or schema');
  throw new Error(`${JSON.stringify(text)} is neither process nor schema`);
}

export const paths: {
  kind: 'array';
  parameter: { brief: string; placeholder: string; parse: (text: string) => string };
} = { kind: 'array', parameter: { brief: 'Schema files or folders', placeholder: 'path', parse: notEmpty } };

interface OnePositional<IsOptional extends boolean> {
  kind: 'tuple';
  parameters: readonly [Omit<Parsed<string>, 'kind'> & { optional: IsOptional }];
}

export function onePositional(brief: string, placeholder: string, proposing: Proposing = {}): OnePositional<false> {
  return { kind: 'tuple', parameters: [{ brief, placeholder, parse: String, optional: false, ...proposing }] };
}

export function optionalPositional(brief: string, placeholder: string, proposing: Proposing = {}): OnePositional<true> {
  return { kind: 'tuple', parameters: [{ brief, placeholder, parse: String, optional: true, ...proposing }] };
}

export function onePath(brief: string): OnePositional<false> {
  return { kind: 'tuple', parameters: [{ brief, placeholder: 'path', parse: notEmpty, optional: false }] };
}

export const tool: OnePositional<false> = onePositional('Name or reference of a tool', 'tool', {
  proposeCompletions: async (partial) => (await import('./completion/propose-names.ts')).proposeTools(partial),
});

export const activeTool: OnePositional<false> = onePositional('Name or reference of an active tool', 'tool', {
  proposeCompletions: async () => (await import('./completion/propose-names.ts')).proposeActiveTools(),
});

export function described(brief: string, ...examples: readonly string[]): { brief: string; fullDescription: string } {
  const title = examples.length === 1 ? 'Example:' : 'Examples:';
  return { brief, fullDescription: [`${brief}.`, '', title, ...examples.map((line) => `  ${line}`)].join('\n') };
}
