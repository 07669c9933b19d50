import { isDeepStrictEqual } from 'node:util';
import { exposeSchemas } from '@schemakit/core';
import { isObject } from '@schemakit/core/internal';
import type { JsonObject } from '../read/read-document.ts';
import { type Change, compareShapes } from './compare-shapes.ts';

/** What a new version of a document means for a tool. */
export interface ToolChange {
  /** On MCP, such as `pets__listPets`. */
  tool: string;
  file: string;
  kind: 'added' | 'removed' | 'changed';
  /** Whether one of the changes may break callers. */
  breaking: boolean;
  /** Breaking ones first. Empty if the tool was added or removed. */
  changes: Change[];
}

/** A tool with what of its file matters to it. */
export interface ComparedTool {
  file: string;
  tool: JsonObject;
  inputSchema: unknown;
  /** Fields of `main` that all of its tools share. */
  shared: JsonObject;
}

/** The tools of schema files, by their names on MCP. */
export function toolsOf(mains: ReadonlyMap<string, JsonObject>): Map<string, ComparedTool> {
  const tools = new Map<string, ComparedTool>();
  for (const [file, main] of mains) {
    const { tools: own, ...shared } = main;
    for (const { name, toolName, listing } of exposeSchemas([{ main }]).map(namedTool)) {
      const tool = isObject(own) ? own[toolName] : undefined;
      if (isObject(tool)) tools.set(name, { file, tool, inputSchema: listing.inputSchema, shared });
    }
  }
  return tools;
}

function namedTool({ listing }: ReturnType<typeof exposeSchemas>[number]) {
  return { name: listing.name, toolName: listing.name.slice(listing.name.indexOf('__') + 2), listing };
}

/** Compares tools of the same name. Says in words what changed, and whether it breaks callers. */
export function compareTools(
  before: ReadonlyMap<string, ComparedTool>,
  after: ReadonlyMap<string, ComparedTool>,
): ToolChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return names.flatMap((tool): ToolChange[] => {
    const [old, now] = [before.get(tool), after.get(tool)];
    if (old === undefined) return now === undefined ? [] : [{ tool, file: now.file, ...added }];
    if (now === undefined) return [{ tool, file: old.file, ...removed }];
    const changes = compareTool(old, now).toSorted((left, right) => Number(right.breaking) - Number(left.breaking));
    if (changes.length === 0) return [];
    return [{ tool, file: now.file, kind: 'changed', breaking: changes.some(({ breaking }) => breaking), changes }];
  });
}

const added = { kind: 'added', breaking: false, changes: [] as Change[] } as const;
const removed = { kind: 'removed', breaking: true, changes: [] as Change[] } as const;

function compareTool(old: ComparedTool, now: ComparedTool): Change[] {
  const [before, after] = [old.tool, now.tool];
  const say = (place: string, message: string, breaking = false): Change => ({ place, message, breaking });
  const changes = [
    ...compareRequest(before, after),
    ...compareShapes(old.inputSchema, now.inputSchema, { side: 'input', path: '' }),
    ...compareShapes(schemaOf(before), schemaOf(after), { side: 'output', path: '' }),
    ...compareShared(old.shared, now.shared),
    ...(old.file === now.file ? [] : [say('file', `is in ${now.file} instead of ${old.file}`)]),
  ];
  const others = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !named.includes(key) && !isDeepStrictEqual(before[key], after[key]),
  );
  const found = [...changes, ...others.map((key) => say(key, 'changed'))];
  if (found.length > 0 || isDeepStrictEqual(before, after)) return found;
  return [say('request', 'sends or reads the same values in another way')];
}

const named = ['method', 'path', 'parameters', 'output'];

function compareRequest(before: JsonObject, after: JsonObject): Change[] {
  const [was, is] = [before, after].map(
    ({ method, path }) => `${method} ${String(path).replace(/\{\{[^{}]*\}\}/g, '{}')}`,
  );
  if (was === is) return [];
  const [shownBefore, shownNow] = [before, after].map(({ method, path }) => `${method} ${path}`);
  return [{ place: 'request', message: `is ${shownNow} instead of ${shownBefore}`, breaking: true }];
}

function schemaOf({ output }: JsonObject): unknown {
  return isObject(output) ? output.schema : undefined;
}

/** What the tools of a file share: where requests go, and with which credentials. */
function compareShared(before: JsonObject, after: JsonObject): Change[] {
  const changes: Change[] = [];
  if (before.root !== after.root) {
    changes.push({ place: 'server', message: `is ${after.root} instead of ${before.root}`, breaking: false });
  }
  const [had, needs] = [secretsOf(before), secretsOf(after)];
  const fresh = needs.filter((name) => !had.includes(name));
  const gone = had.filter((name) => !needs.includes(name));
  if (fresh.length > 0) {
    changes.push({ place: 'credentials', message: `${fresh.join(', ')} required`, breaking: true });
  }
  if (gone.length > 0) {
    changes.push({ place: 'credentials', message: `${gone.join(', ')} no longer required`, breaking: false });
  }
  const isOther = ['auth', 'headers'].some((key) => !isDeepStrictEqual(before[key], after[key]));
  if (isOther && fresh.length === 0 && gone.length === 0) {
    changes.push({ place: 'credentials', message: 'are sent in another way', breaking: false });
  }
  return changes;
}

function secretsOf({ requiredServerParams }: JsonObject): string[] {
  return Array.isArray(requiredServerParams) ? requiredServerParams.map(String) : [];
}
