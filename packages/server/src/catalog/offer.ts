import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/server';
import type { ExposedPrompt, ExposedTool } from '@schemakit/core';

type MaybePromise<Value> = Value | Promise<Value>;
type ExposedResource = NonNullable<ExposedTool['resource']>;
type ResourceFault = Extract<Awaited<ReturnType<ExposedResource['read']>>, { ok: false }>;
type PromptFault = Extract<ReturnType<ExposedPrompt['get']>, { ok: false }>;

/** A resource as servers need it. That of a schema that is loaded is one. */
export interface ServedResource
  extends Pick<ExposedResource, 'resourceName' | 'uri' | 'listing' | 'template' | 'matches'> {
  read(
    address: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<{ ok: true; contents: ReadResourceResult['contents'] } | ResourceFault>;
  complete(argument: string, typed: string): MaybePromise<string[]>;
}

/** What a tool is told beside its arguments. */
export interface ServedCallOptions extends NonNullable<Parameters<ExposedTool['call']>[1]> {
  /** Takes a text on each step of a long call; present where the client asked for it. */
  onProgress?: ((message: string) => void) | undefined;
}

/** A tool as servers need it. That of a schema that is loaded is one. */
export interface ServedTool
  extends Pick<
    ExposedTool,
    'listing' | 'aliases' | 'namespace' | 'tags' | 'toolName' | 'file' | 'requiredServerParams' | 'isBinary'
  > {
  resource?: ServedResource;
  /** Never throws: a failed call is a result with `isError`. */
  call(args: unknown, options?: ServedCallOptions): Promise<CallResult>;
}

/** What a call answers: content of any kind that MCP has. */
export interface CallResult extends Omit<Awaited<ReturnType<ExposedTool['call']>>, 'content'> {
  content: CallToolResult['content'];
}

/** A prompt as servers need it. That of a schema that is loaded is one. */
export interface ServedPrompt extends Pick<ExposedPrompt, 'listing' | 'namespace'> {
  get(
    args?: unknown,
  ): MaybePromise<{ ok: true; description?: string; messages: GetPromptResult['messages'] } | PromptFault>;
  complete(argument: string, value: string): MaybePromise<string[]>;
}

/** What a call of one tool that stands for others really calls, or what it answers where it is none of them. */
export type Redirect = { tool: ServedTool; args: Record<string, unknown> } | { result: CallResult };

/** Tools by their names and aliases. */
export interface ToolsByName extends Iterable<readonly [name: string, tool: ServedTool]> {
  get(name: string): ServedTool | undefined;
}

/** What a server offers, made once and shared by every connection. */
export interface Offer {
  tools: {
    /** How many there are; known before they are read. */
    count: number;
    list: readonly ServedTool['listing'][];
    byName: ToolsByName;
    all: readonly ServedTool[];
    /** Tools that call others, by name. */
    redirects?: ReadonlyMap<string, (args: Record<string, unknown>) => Redirect>;
  };
  prompts: {
    list: readonly ServedPrompt['listing'][];
    byName: ReadonlyMap<string, ServedPrompt>;
    all: readonly ServedPrompt[];
  };
  resources: {
    list: readonly NonNullable<ServedResource['listing']>[];
    templates: readonly NonNullable<ServedResource['template']>[];
    all: readonly ServedResource[];
    /** Those that belong to no tool. */
    standalone: readonly ServedResource[];
  };
}

/**
 * Puts tools, the resources that some of them are as well, prompts and resources of their own in the tables that servers share.
 */
export function createOffer(
  tools: readonly ServedTool[],
  prompts: readonly ServedPrompt[] = [],
  standalone: readonly ServedResource[] = [],
): Offer {
  return {
    tools: {
      count: tools.length,
      list: tools.map(({ listing }) => listing),
      byName: byNames(tools, ({ listing, aliases }) => [listing.name, ...aliases]),
      all: tools,
    },
    prompts: promptTable(prompts),
    resources: resourceTable(tools, standalone),
  };
}

/** Entries by their name, which comes first, and their aliases. An alias that is the name of an entry means that entry. */
function byNames<Entry>(
  entries: readonly Entry[],
  namesOf: (entry: Entry) => readonly [name: string, ...aliases: string[]],
): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const entry of entries) for (const alias of namesOf(entry).slice(1)) found.set(alias, entry);
  for (const entry of entries) found.set(namesOf(entry)[0], entry);
  return found;
}

function resourceTable(tools: readonly ServedTool[], standalone: readonly ServedResource[] = []): Offer['resources'] {
  const all = [...tools.flatMap(({ resource }) => resource ?? []), ...standalone];
  const list = all.flatMap(({ listing }) => listing ?? []);
  const templates = all.flatMap(({ template }) => template ?? []);
  return { list, templates, all, standalone };
}

function promptTable(all: readonly ServedPrompt[]): Offer['prompts'] {
  const list = all.map(({ listing }) => listing);
  return { all, list, byName: new Map(all.map((prompt) => [prompt.listing.name, prompt])) };
}
