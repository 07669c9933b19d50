import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import { createOriginMatcher } from '@schemakit/http';
import { type Grants, isOrigin } from '../lock/grants.ts';
import { trustCommand } from '../lock/lock-paths.ts';
import type { ParsedHandlers } from '../module/parse-handlers.ts';
import type { HandlerFailure } from '../sandbox/handler-error.ts';
import type { HandlerLibrary, HandlerProgram } from '../sandbox/handler-program.ts';
import { hookNames } from '../sandbox/hook-context.ts';
import { type HookFunction, sandboxedHook, type ToolHooks } from '../sandbox/run-hook.ts';
import {
  runTrustedFactory,
  type TrustedFile,
  type TrustedHooks,
  trustedHandlers,
} from '../sandbox/trusted-handlers.ts';
import { childPath, type Finding } from '../schema/finding.ts';
import { ruleFinding } from '../schema/finding-codes.ts';
import type { Schema, SharedLists, Tool } from '../schema/schema.ts';
import { invalidHook, notFunction, notPlainObject, unknownHook, unknownKey, writeFactory } from './create-handlers.ts';
import { loadLibraries } from './libraries.ts';
import type { HandlerMap, SchemaRecord } from './schema-record.ts';

export interface AttachedHandlers {
  handlerMap: HandlerMap;
  rowsHooks: SchemaRecord['rowsHooks'];
  /** Set if the hook names are known only after the factory has run. */
  program?: HandlerProgram;
}

/** The file of a program, and the programs that it may share hosts with. */
interface ProgramLocation {
  file: string;
  /** See `HandlerProgram.group`; called once, when a handler runs. */
  group: () => string;
  /** Shares no host with other programs. */
  alone: boolean;
}

interface Attachment {
  handlers: ParsedHandlers | undefined;
  schema: Schema;
  place: ProgramLocation;
  libraries: readonly HandlerLibrary[];
  sharedLists: SharedLists;
  /** False if the scan rejected the code: its names are still checked. */
  run: boolean;
  add: (finding: Finding) => void;
}

/** Checks the `handlers` export against the tools and creates a function for each hook (docs/handlers.md). */
export function attachHandlers(attachment: Attachment): AttachedHandlers {
  const { handlers, schema, run, add } = attachment;
  for (const tool of schema.tools.values())
    if (!takesValues(handlers, tool.name)) reportUnusedInserts(tool, schema.toolsPath, add);
  reportLocalTools(schema, handlers, add);
  const none = { handlerMap: {}, rowsHooks: {} };
  if (handlers === undefined) return none;
  if (handlers.kind === 'other') {
    add(notFunction);
    return none;
  }
  if (handlers.fault !== undefined) {
    add(notPlainObject(`${handlers.fault} ${writeFactory}`));
    return none;
  }
  for (const stray of handlers.invalidHooks ?? []) add(invalidHook(stray));
  const { names } = handlers;
  if (names === undefined) add(uncheckedKeys);
  const program = programOf(handlers, attachment);
  if (names === undefined) return { ...none, ...(run && { program }) };
  for (const key of Object.keys(names))
    if (!schema.tools.has(key) && !schema.resources.has(key)) add(unknownKey(key, [...schema.tools.keys()]));
  reportUnknownHooks(names, schema, add);
  const entries = Object.entries(names).filter(([name]) => schema.tools.has(name));
  const handlerMap = Object.fromEntries(entries.map(([name, hooks]) => [name, hooksOf(program, name, hooks)]));
  const rowsHooks = Object.fromEntries(
    Object.entries(names)
      .filter(([name]) => schema.resources.has(name) && !schema.tools.has(name))
      .map(([name, queries]) => [name, rowsHooksOf(program, name, queries)]),
  );
  return run ? { handlerMap, rowsHooks } : none;
}

const uncheckedKeys: Finding = ruleFinding(
  'VAL005',
  'handlers',
  'the names of tools and hooks that handlers return are computed; they are checked at the first call',
  { severity: 'info', hint: 'Return an object with plain keys, so that they are checked when the schema is loaded.' },
);

function rowsHooksOf(program: HandlerProgram, name: string, queries: readonly string[]): Record<string, HookFunction> {
  return Object.fromEntries(
    queries.map((query) => [query, sandboxedHook({ program, name, query, hook: 'postRequest' })]),
  );
}

function reportUnknownHooks(
  names: Readonly<Record<string, readonly string[]>>,
  schema: Schema,
  add: (finding: Finding) => void,
): void {
  for (const [tool, hooks] of Object.entries(names)) {
    if (!schema.tools.has(tool)) continue;
    for (const hook of hooks) {
      if (!(hookNames as readonly string[]).includes(hook)) add(unknownHook(hook, `handlers.${tool}`));
    }
  }
}

export function hooksOf(program: HandlerProgram, name: string, hooks: readonly string[]): ToolHooks {
  const entries = hookNames.map((hook) => [hook, hooks.includes(hook) ? sandboxedHook({ program, name, hook }) : null]);
  return Object.fromEntries(entries) as ToolHooks;
}

function programOf(handlers: ParsedHandlers, { schema, place, libraries, sharedLists }: Attachment): HandlerProgram {
  const { file, alone } = place;
  let id: string | undefined;
  let group: string | undefined;
  return {
    /** A compartment is for one piece of code with its lists and libraries. Computed on demand: most programs never run. */
    get id() {
      id ??= hash('sha256', JSON.stringify([file, handlers.source(), libraries, sharedLists]));
      return id;
    },
    namespace: schema.namespace,
    file,
    get source() {
      return handlers.source();
    },
    libraries,
    sharedLists,
    get group() {
      group ??= place.group();
      return group;
    },
    alone,
  };
}

/** Tools with a `local://` root make no HTTP request, so they need `executeRequest`. */
function reportLocalTools(schema: Schema, handlers: ParsedHandlers | undefined, add: (finding: Finding) => void): void {
  if (!schema.root.startsWith('local://') || (handlers !== undefined && handlers.names === undefined)) return;
  for (const name of schema.tools.keys()) {
    if (hooksNamed(handlers, name).includes('executeRequest')) continue;
    const path = childPath(schema.toolsPath, name);
    const message = `root is local and ${name} has no executeRequest handler, so it cannot be called (${path})`;
    add(ruleFinding('VAL054', path, message, 'Write the handler, or the URL of the API in main.root.'));
  }
}

/** Whether a tool may have a hook. Hooks get the values of the call; an insert parameter can declare one that only a hook uses. */
function takesValues(handlers: ParsedHandlers | undefined, toolName: string): boolean {
  if (handlers?.names === undefined) return handlers !== undefined;
  return hooksNamed(handlers, toolName).some((hook) => (hookNames as readonly string[]).includes(hook));
}

function hooksNamed(handlers: ParsedHandlers | undefined, toolName: string): readonly string[] {
  return (handlers?.names && Object.hasOwn(handlers.names, toolName) && handlers.names[toolName]) || [];
}

function reportUnusedInserts(tool: Tool, toolsPath: string, add: (finding: Finding) => void): void {
  for (const { key, location } of tool.placements) {
    if (location !== 'insert' || tool.url.some((part) => part.kind === 'insert' && part.key === key)) continue;
    const path = childPath(toolsPath, tool.name);
    const message = `the path has no placeholder for insert parameter ${JSON.stringify(key)} (${path})`;
    add(ruleFinding('VAL050', `${path}.path`, message, `Write {{${key}}} in the path, or use location query.`));
  }
}

interface TrustedAttachment extends Omit<TrustedFile, 'namespace' | 'libraries'>, Pick<Attachment, 'schema' | 'add'> {
  allowlist: readonly string[];
}

/** Attaches handlers that run unsandboxed in this process. Only the exact bytes whose hash was pinned run. */
export async function attachTrusted({
  schema,
  allowlist,
  add,
  ...trustedFile
}: TrustedAttachment): Promise<AttachedHandlers> {
  const none: AttachedHandlers = { handlerMap: {}, rowsHooks: {} };
  const { requiredLibraries, namespace } = schema;
  const loaded = await loadLibraries({ requiredLibraries, allowlist, folder: dirname(trustedFile.file) });
  loaded.findings.forEach(add);
  if (!loaded.status) return none;
  const trusted = await trustedHandlers({ ...trustedFile, namespace, libraries: loaded.libraries });
  if (!trusted.ok) {
    add(failedFactory(trusted.failure));
    return none;
  }
  return trustedHooks(trusted.hooks, schema);
}

function failedFactory({ code, message, hint }: HandlerFailure): Finding {
  return { code, severity: 'error', path: 'handlers', message, ...(hint !== undefined && { hint }) };
}

function trustedHooks(hooks: TrustedHooks, schema: Schema): AttachedHandlers {
  const tools = Object.entries(hooks).filter(([name]) => schema.tools.has(name));
  const queries = [...schema.resources.values()].map(({ name, queries: known }) => {
    const run = [...known.keys()].flatMap((query) => {
      const hook = hooks[`${name}.${query}`]?.postRequest;
      return hook ? [[query, hook] as const] : [];
    });
    return [name, Object.fromEntries(run)] as const;
  });
  return { handlerMap: Object.fromEntries(tools), rowsHooks: Object.fromEntries(queries) };
}

/** Reports origins in the handlers' calls of `fetch` that the schema may not reach. */
export function foreignOrigins(
  handlers: ParsedHandlers | undefined,
  { root, grants: { network = [] }, file }: { root: string; grants: Grants; file: string },
): Finding[] {
  if (handlers?.fetched === undefined || handlers.fetched.length === 0 || network === 'any') return [];
  const own = originPattern(root);
  const mayReach = createOriginMatcher([...(own === undefined ? [] : [own]), ...network].filter(isOrigin));
  return handlers.fetched
    .filter(({ origin }) => !mayReach(new URL(origin)))
    .map(({ origin, line, column }) => {
      const message = `handlers fetch from ${origin}, which is not the origin of main.root: the calls are refused without a grant`;
      const command = trustCommand({ files: [file], flags: ['--network', origin] });
      const hint = `Grant it with ${command}, or pass grants: { network: ['${origin}'] }.`;
      return { ...ruleFinding('VAL028', 'handlers', message, hint), line, column };
    });
}

/** The origin of a root, with `*` for labels of the host that are placeholders. */
function originPattern(root: string): string | undefined {
  const url = URL.parse(root.replace(/\{\{[^{}]*\}\}/g, '--x--'));
  return url?.origin.replace(/--[a-z0-9_-]+?--/gi, '*');
}

/** Attaches trusted handlers, which are functions of this process. They get no shared lists and no libraries. */
export function attachLive(
  handlers: unknown,
  schema: Schema,
): { attached: AttachedHandlers; findings?: never } | { attached?: never; findings: Finding[] } {
  const { namespace, tools, resources } = schema;
  const made = runTrustedFactory(handlers, { namespace, sharedLists: {}, libraries: {} });
  if (!made.ok) return { findings: [failedFactory(made.failure)] };
  const keys = Object.keys(made.hooks).map((key) => key.split('.')[0] ?? key);
  const unknown = keys.filter((key) => !tools.has(key) && !resources.has(key));
  if (unknown.length > 0) return { findings: unknown.map((key) => unknownKey(key, [...tools.keys()])) };
  return { attached: trustedHooks(made.hooks, schema) };
}
