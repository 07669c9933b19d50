import type { Finding } from '../schema/finding.ts';
import { createInputCheck, type InputCheck } from '../schema/input/check-input.ts';
import { listWords, quote } from '../schema/input/describe-input.ts';
import { isObject } from '../schema/json.ts';
import { nearestWord } from '../schema/nearest-word.ts';
import type { Prompt, PromptArgument, PromptPart, PromptTargetKind } from '../schema/prompts/prompt.ts';
import { promptTargets } from '../schema/prompts/prompt-targets.ts';
import { nameTools } from '../schema/references/tool-names.ts';
import { type McpSkill, skillFiles } from './skill-files.ts';

/** How a prompt appears in `prompts/list` (MCP specification, Prompt). */
export interface PromptListing {
  name: string;
  title: string;
  description?: string;
  arguments: { name: string; description?: string; required: boolean }[];
}

/** MCP specification, PromptMessage. */
export interface PromptMessage {
  role: 'user';
  content: { type: 'text'; text: string };
}

/** The result of `prompts/get`, or the problems of the arguments. */
export type PromptResult =
  | { ok: true; description?: string; messages: PromptMessage[] }
  | { ok: false; findings: Finding[] };

/** A skill or a prompt of a schema as an MCP prompt. */
export interface ExposedPrompt {
  listing: PromptListing;
  namespace: string;
  prompt: Prompt;
  /** Present for a skill: its form in the Skills extension of MCP. */
  skill?: McpSkill;
  /**
   * The text with a client's arguments inserted, followed by one message for each skill and prompt that it refers to. Its own
   * arguments include theirs. Missing, unknown and invalid arguments are findings. Never throws.
   */
  get(args?: unknown): PromptResult;
  /** Values of an argument that begin with the typed text, at most 100; none if any text is allowed. */
  complete(argument: string, value: string): string[];
}

/** The skills and prompts of one schema. */
export interface PromptSource {
  namespace: string;
  prompts: readonly Prompt[];
  /** The schema's file. It decides which of several prompts keeps a name that they share. */
  file?: string;
}

export interface PromptNames {
  /** The MCP name of a tool that a prompt of `file` mentions; undefined if there is none. Default: as its author wrote it. */
  toolName?(namespace: string, tool: string, file?: string): string | undefined;
  /** The name of a resource; undefined if there is none. Default: as its author wrote it. */
  resourceName?(namespace: string, resource: string, file?: string): string | undefined;
}

interface NamedPrompt {
  source: PromptSource;
  prompt: Prompt;
  name: string;
}

/** The MCP prompts of schemas. Names are `<namespace>__<name>` and unique; if the files are known, they do not depend on the order. */
export function createMcpPrompts(
  sources: readonly PromptSource[],
  { toolName, resourceName }: PromptNames = {},
): ExposedPrompt[] {
  const named = namePrompts(sources);
  const find = promptFinder(named);
  const namer =
    (source: PromptSource): NameOf =>
    (kind, name) => {
      if (kind === 'skill' || kind === 'prompt') return find(source, kind, name)?.name ?? name;
      const callback = kind === 'tool' ? toolName : resourceName;
      for (const target of promptTargets(name, kind, source.namespace)) {
        const exposed = callback?.(target.namespace, target.name, source.file);
        if (exposed !== undefined) return exposed;
      }
      return name;
    };
  return named.map((entry) => {
    const referenced = new Set(
      entry.prompt.references.flatMap(({ kind, name }) => find(entry.source, kind, name) ?? []),
    );
    referenced.delete(entry);
    return createPrompt(entry, { referenced: [...referenced], namer });
  });
}

function createPrompt(
  entry: NamedPrompt,
  { referenced, namer }: { referenced: readonly NamedPrompt[]; namer: (source: PromptSource) => NameOf },
): ExposedPrompt {
  const { prompt, source, name } = entry;
  const declared = joinArguments([prompt, ...referenced.map((each) => each.prompt)]);
  const check = createPromptArgumentsCheck(declared);
  const description = prompt.description === '' ? {} : { description: prompt.description };
  const inputs = declared.map(argumentListing);
  return {
    listing: { name, title: `${source.namespace}: ${wordsOf(prompt.name)}`, ...description, arguments: inputs },
    namespace: source.namespace,
    prompt,
    ...(prompt.kind === 'skill' && { skill: createSkill(entry, { referenced, inputs, namer }) }),
    get(args) {
      const checked = check(args);
      if (!checked.ok) return checked;
      const messages = [entry, ...referenced].map((each): PromptMessage => {
        const text = renderPrompt(each.prompt, { values: checked.values, nameOf: namer(each.source) });
        return { role: 'user', content: { type: 'text', text } };
      });
      return { ok: true, ...description, messages };
    },
    complete: (argument, value) => completePromptArgument(declared, argument, value),
  };
}

function createSkill(
  entry: NamedPrompt,
  {
    referenced,
    inputs,
    namer,
  }: {
    referenced: readonly NamedPrompt[];
    inputs: PromptListing['arguments'];
    namer: (source: PromptSource) => NameOf;
  },
): McpSkill {
  const { source, prompt } = entry;
  // Names of skills have no underscore (agentskills.io): one that is taken ends in `-2` here.
  const [, number] = /_(\d+)$/.exec(entry.name) ?? [];
  const name = number === undefined ? prompt.name : `${prompt.name}-${number}`;
  const about = { name, description: prompt.description };
  const values = new Map(inputs.map((input) => [input.name, `<${input.name}>`]));
  const textOf = (each: NamedPrompt) =>
    each.prompt.content.map((part) => renderPart(part, { values, nameOf: namer(each.source) })).join('');
  return {
    path: `${source.namespace}/${name}`,
    ...about,
    files() {
      const references = Object.fromEntries(referenced.map((each) => [each.name, textOf(each)]));
      return skillFiles(about, { content: textOf(entry), inputs, references });
    },
  };
}

/** The arguments of a prompt and of those it refers to. The first definition wins; required if any of the prompts requires it. */
function joinArguments(prompts: readonly Prompt[]): PromptArgument[] {
  const joined = new Map<string, PromptArgument>();
  for (const argument of prompts.flatMap((each) => each.arguments)) {
    const known = joined.get(argument.name) ?? argument;
    joined.set(argument.name, { ...known, required: known.required || argument.required });
  }
  return [...joined.values()];
}

function namePrompts(sources: readonly PromptSource[]): NamedPrompt[] {
  const places = sources.flatMap((source) =>
    source.prompts.map((prompt) => ({
      source,
      prompt,
      namespace: source.namespace,
      toolName: prompt.name,
      ...(source.file !== undefined && { file: source.file }),
    })),
  );
  return nameTools(places).named.map(({ tool: { source, prompt }, names }) => ({ source, prompt, name: names.mcp }));
}

type FindPrompt = (source: PromptSource, kind: Prompt['kind'], name: string) => NamedPrompt | undefined;

/** Resolves a name in a prompt: its own schema takes precedence over other schemas of the namespace. */
function promptFinder(named: readonly NamedPrompt[]): FindPrompt {
  const key = (kind: string, namespace: string, name: string) => JSON.stringify([kind, namespace, name]);
  const byTarget = Map.groupBy(named, ({ source, prompt }) => key(prompt.kind, source.namespace, prompt.name));
  return (source, kind, name) => {
    for (const target of promptTargets(name, kind, source.namespace)) {
      const candidates = byTarget.get(key(kind, target.namespace, target.name)) ?? [];
      const found = candidates.find((candidate) => candidate.source === source) ?? candidates[0];
      if (found) return found;
    }
    return undefined;
  };
}

/** MCP has no field for the values of an argument, so the description lists them. */
function argumentListing({
  name,
  description,
  required,
  type,
  values = [],
}: PromptArgument): PromptListing['arguments'][number] {
  const choice = type === 'enum' ? `One of ${listWords(values)}.` : undefined;
  const isOpen = choice !== undefined && description !== undefined && !/[.!?:;,…]\s*$/.test(description);
  const text = [isOpen ? `${description}.` : description, choice].filter((part) => part !== undefined).join(' ');
  return { name, ...(text !== '' && { description: text }), required };
}

function wordsOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^A-Za-z0-9]+/g, ' ');
  return words.trim().toLowerCase() || name;
}

/** Replaces a missing optional argument. */
const notGiven = '(not given)';

/** The name of a target for the reader of the prompt. */
type NameOf = (kind: PromptTargetKind, name: string) => string;

type Rendering = { values: ReadonlyMap<string, string>; nameOf: NameOf };

/** The text of a prompt with its values, which are never searched for placeholders. Those without a placeholder are listed at the end. */
function renderPrompt({ content, arguments: declared }: Prompt, { values, nameOf }: Rendering): string {
  const text = content.map((part) => renderPart(part, { values, nameOf })).join('');
  const placed = new Set(content.flatMap((part) => (part.kind === 'input' ? part.name : [])));
  const others = declared.flatMap(({ name }) => {
    const value = placed.has(name) ? undefined : values.get(name);
    return value === undefined ? [] : `- ${name}: ${value}`;
  });
  return others.length === 0 ? text : `${text.trimEnd()}\n\nInput:\n${others.join('\n')}`;
}

function renderPart(part: PromptPart, { values, nameOf }: Rendering): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'input':
      return values.get(part.name) ?? notGiven;
    default:
      return nameOf(part.kind, part.name);
  }
}

type PromptValues = { ok: true; values: ReadonlyMap<string, string> } | { ok: false; findings: Finding[] };

/**
 * Makes the check of a prompt's arguments. Empty text counts as a missing optional argument: clients send fields that their user
 * left blank. Findings have the codes of inputs, and the argument as their path.
 */
function createPromptArgumentsCheck(declared: readonly PromptArgument[]): (args: unknown) => PromptValues {
  const check = createInputCheck(
    declared.map(({ name, required, type, values = [] }) => ({
      name,
      aliases: [],
      z: { primitive: type, optional: !required, ...(type === 'enum' && { members: values }) },
    })),
  );
  return (args) => {
    if (isObject(args)) return checkArguments(args, declared, check);
    const result = check(args);
    return result.ok ? { ok: true, values: new Map() } : result;
  };
}

function completePromptArgument(declared: readonly PromptArgument[], name: string, value: string): string[] {
  const argument = declared.find((candidate) => candidate.name === name);
  return completions(argument?.values ?? (argument?.type === 'boolean' ? ['true', 'false'] : []), value);
}

/** MCP specification, completion/complete. */
const maxCompletions = 100;

/** The values that begin with a typed text, in any letter case, at most 100. */
export function completions(values: readonly string[], typed: string): string[] {
  const start = typed.toLowerCase();
  return values.filter((value) => value.toLowerCase().startsWith(start)).slice(0, maxCompletions);
}

function checkArguments(
  args: Record<string, unknown>,
  declared: readonly PromptArgument[],
  check: InputCheck,
): PromptValues {
  const given = declared.flatMap(({ name, required }) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    return value === undefined || value === null || (value === '' && !required) ? [] : [[name, value] as const];
  });
  const names = declared.map(({ name }) => name);
  const findings = Object.keys(args).flatMap((name) => (names.includes(name) ? [] : unknownArgument(name, names)));
  const result = check(Object.fromEntries(given));
  if (!result.ok) findings.unshift(...result.findings);
  if (findings.length > 0) return { ok: false, findings };
  // As the caller wrote them: a number keeps its leading zeros.
  return { ok: true, values: new Map(given.map(([name, value]) => [name, String(value)])) };
}

function unknownArgument(name: string, known: readonly string[]): Finding {
  const nearest = nearestWord(name, known);
  const takes = known.length === 0 ? 'It takes none.' : `It takes ${listWords(known)}.`;
  const hint = nearest === undefined ? takes : `Did you mean ${quote(nearest)}?`;
  return { code: 'INP006', severity: 'error', path: name, message: `${quote(name)}: unknown to this prompt. ${hint}` };
}
