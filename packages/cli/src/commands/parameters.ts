import type { CommandContext } from '@stricli/core';

// Flags and arguments that several commands have, as the parser of the command line wants them.

/** Schema files and folders. */
export const paths: Words = words('Schema files or folders', 'path');

/** Any number of words without a flag. */
function words(brief: string, placeholder: string): Words {
  return { kind: 'array', parameter: { brief, placeholder, parse: notEmpty } };
}

/** A path or a name that is empty is that of a variable which was not set, and would mean the whole folder. */
export function notEmpty(text: string): string {
  if (text.trim() === '') throw new Error('It is empty');
  return text;
}

interface Words {
  kind: 'array';
  parameter: { brief: string; placeholder: string; parse: (text: string) => string };
}

export const lockFlag: TextFlag = textFlag('The lock file; by default the nearest schemakit.lock.json', 'file');

/** `process`: schemas of one source share host processes. `schema`: each schema has its own. */
export type Isolation = 'process' | 'schema';

export const isolationFlag: IsolationFlag = {
  kind: 'parsed',
  parse: parseIsolation,
  brief: 'Where handlers run: in host processes that schemas of one source share, or in one for each schema',
  placeholder: 'process|schema',
  default: 'process',
  proposeCompletions: () => ['process', 'schema'],
};

interface IsolationFlag extends Proposing {
  kind: 'parsed';
  parse: (text: string) => Isolation;
  brief: string;
  placeholder: string;
  default: string;
}

function parseIsolation(text: string): Isolation {
  if (text === 'process' || text === 'schema') return text;
  if (text === 'wasm') throw new Error('WebAssembly isolation was removed; use process or schema');
  throw new Error(`${JSON.stringify(text)} is neither process nor schema`);
}

export const groupFlag: TextFlag & Proposing = {
  ...textFlag('A group; by default the default group', 'name'),
  proposeCompletions: async () => (await import('./completion/propose-names.ts')).proposeGroups(),
};

/** A flag with a text that may be left out. */
function textFlag(brief: string, placeholder: string): TextFlag {
  return { kind: 'parsed', parse: notEmpty, optional: true, brief, placeholder };
}

/** A flag with any text, the empty one too, that may be left out. */
export function anyText(brief: string, placeholder: string): TextFlag {
  return { ...textFlag(brief, placeholder), parse: String };
}

/** A flag with a text that may be written more than once. */
export function anyTexts(brief: string, placeholder: string): TextFlag & { variadic: true } {
  return { ...anyText(brief, placeholder), variadic: true };
}

/** A flag without a value. */
export function yesNo(brief: string): { kind: 'boolean'; brief: string; default: boolean } {
  return { kind: 'boolean', brief, default: false };
}

interface TextFlag {
  kind: 'parsed';
  parse: (text: string) => string;
  optional: true;
  brief: string;
  placeholder: string;
}

/** What those who propose values know. */
export interface CompletionContext extends CommandContext {
  /** The words before the one that is being typed, without `--cwd` and `--json`. */
  words?: readonly string[];
}

/** What a shell offers for a value; see `completion/`. */
export interface Proposing {
  proposeCompletions?: (partial: string) => readonly string[] | Promise<readonly string[]>;
}

interface Positional<Optional extends boolean> extends Proposing {
  brief: string;
  placeholder: string;
  optional: Optional;
}

interface OnePositional<Optional extends boolean> {
  kind: 'tuple';
  parameters: readonly [Positional<Optional> & { parse: (text: string) => string }];
}

/** One word without a flag. */
export function onePositional(brief: string, placeholder: string, proposing: Proposing = {}): OnePositional<false> {
  return { kind: 'tuple', parameters: [{ brief, placeholder, parse: String, optional: false, ...proposing }] };
}

/** A word without a flag that may be left out. */
export function optionalPositional(brief: string, placeholder: string, proposing: Proposing = {}): OnePositional<true> {
  return { kind: 'tuple', parameters: [{ brief, placeholder, parse: String, optional: true, ...proposing }] };
}

/** One schema file or folder. */
export function onePath(brief: string): OnePositional<false> {
  return {
    kind: 'tuple',
    parameters: [{ brief, placeholder: 'path', parse: notEmpty, optional: false }],
  };
}

export const tool: OnePositional<false> = onePositional('A tool by its name, or by its reference', 'tool', {
  proposeCompletions: async (partial) => (await import('./completion/propose-names.ts')).proposeTools(partial),
});

export const activeTool: OnePositional<false> = onePositional(
  'An active tool by its name, or by its reference',
  'tool',
  {
    proposeCompletions: async () => (await import('./completion/propose-names.ts')).proposeActiveTools(),
  },
);

/** The help of a command: what it does, and examples. */
export function described(brief: string, ...examples: readonly string[]): { brief: string; fullDescription: string } {
  const title = examples.length === 1 ? 'Example:' : 'Examples:';
  return { brief, fullDescription: [`${brief}.`, '', title, ...examples.map((line) => `  ${line}`)].join('\n') };
}
