import type { Finding } from '../schema/finding.ts';
import { listWords } from '../schema/input/describe-input.ts';
import type { Prompt, PromptArgument, PromptPart, PromptTargetKind } from '../schema/prompts/prompt.ts';
import { promptTargets } from '../schema/prompts/prompt-targets.ts';
import { nameTools } from '../schema/references/tool-names.ts';
import { completePromptArgument, createPromptArgumentsCheck } from './prompts-arguments.ts';

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

/** What `prompts/get` answers, or what is wrong with the arguments. */
export type PromptResult =
  | { ok: true; description?: string; messages: PromptMessage[] }
  | { ok: false; findings: Finding[] };

/** A skill or a prompt of a schema as an MCP server offers it. */
export interface ExposedPrompt {
  listing: PromptListing;
  namespace: string;
  prompt: Prompt;
  /**
   * The text with a client's arguments in it, followed by one message for each skill and prompt that it refers to. The
   * arguments of those are among its own, in the listing too. Arguments that are missing, unknown or of another kind are findings. Never throws.
   */
  get(args?: unknown): PromptResult;
  /** Values of an argument that begin with what a user has typed, at most 100; none where any text will do. */
  complete(argument: string, value: string): string[];
}

/** The skills and prompts of one schema. */
export interface PromptSource {
  namespace: string;
  prompts: readonly Prompt[];
  /** The schema's file. Which of several prompts keeps a name that all would have depends on it. */
  file?: string;
}

export interface ExposePromptsOptions {
  /**
   * The MCP name of a tool; undefined where there is none. Default: the name stays as its author wrote it.
   *
   * @param file the file of the schema whose prompt speaks of it
   */
  toolName?(namespace: string, tool: string, file?: string): string | undefined;
  /** What a resource is called; undefined where there is none. Default: as its author wrote it. */
  resourceName?(namespace: string, resource: string, file?: string): string | undefined;
}

interface NamedPrompt {
  source: PromptSource;
  prompt: Prompt;
  name: string;
}

/**
 * The MCP prompts of schemas, in their order: skills and prompts alike. Names are `<namespace>__<name>` and unique; where the
 * files are known, they do not depend on the order of the schemas.
 */
export function exposePrompts(
  sources: readonly PromptSource[],
  { toolName, resourceName }: ExposePromptsOptions = {},
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
    return exposePrompt(entry, { referenced: [...referenced], namer });
  });
}

function exposePrompt(
  entry: NamedPrompt,
  { referenced, namer }: { referenced: readonly NamedPrompt[]; namer: (source: PromptSource) => NameOf },
): ExposedPrompt {
  const { prompt, source, name } = entry;
  const declared = joinArguments([prompt, ...referenced.map((each) => each.prompt)]);
  const check = createPromptArgumentsCheck(declared);
  const description = prompt.description === '' ? {} : { description: prompt.description };
  return {
    listing: {
      name,
      title: `${source.namespace}: ${wordsOf(prompt.name)}`,
      ...description,
      arguments: declared.map(argumentListing),
    },
    namespace: source.namespace,
    prompt,
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

/**
 * What is asked for so that a prompt and those that come with it can be filled in. Of an argument that several have, the first
 * one says what it is; it is required where any of them needs it.
 */
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

/** Finds what a name in a prompt means: something of its own schema before what other schemas of the namespace have. */
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

/** MCP has no place for the values of an argument but its description. */
function argumentListing({
  name,
  description,
  required,
  type,
  values = [],
}: PromptArgument): PromptListing['arguments'][number] {
  const choice = type === 'enum' ? `One of ${listWords(values)}.` : undefined;
  const text = [description, choice].filter((part) => part !== undefined).join(' ');
  return { name, ...(text !== '' && { description: text }), required };
}

function wordsOf(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^A-Za-z0-9]+/g, ' ');
  return words.trim().toLowerCase() || name;
}

/** What stands where an optional argument was not given. */
const notGiven = '(not given)';

/** What a name is called where the text is read. */
type NameOf = (kind: PromptTargetKind, name: string) => string;

interface RenderPromptOptions {
  values: ReadonlyMap<string, string>;
  nameOf: NameOf;
}

/**
 * The text of a prompt with its placeholders replaced. Values are put in as they are and never searched. Those that the text
 * has no place for stand in a list at its end.
 */
function renderPrompt({ content, arguments: declared }: Prompt, { values, nameOf }: RenderPromptOptions): string {
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
