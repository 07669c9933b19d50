import { analyzeModule, isObject, type ModuleAnalysis } from '@schemakit/core/internal';
import type { JsonObject } from '../read/read-document.ts';
import { type Region, splitRegions } from './regions.ts';

export type Texts = Readonly<Record<string, string>>;

/** Tools that no file has any more, not even under another name. */
export function removedTools(base: Texts, current: Texts): Set<string> {
  const gone = new Set<string>();
  const present = new Set<string>();
  for (const [path, text] of Object.entries(base)) {
    if (!path.endsWith('.mjs')) continue;
    const [own, mine] = [text, unix(current[path]) ?? ''].map(splitRegions);
    if (!own?.ok || !mine?.ok) continue;
    const keys = new Set(mine.regions.map(({ key }) => key));
    for (const key of keys) present.add(key);
    const [old, now] = [text, current[path] ?? ''].map((one) => mainOf(analyzeModule(one, { file: path })));
    const renamed = renamedTools({ base: own.regions, current: mine.regions }, old ?? {}, now ?? {});
    for (const { key } of own.regions) {
      if (key.startsWith('tool ') && !keys.has(key) && !renamed.has(key)) gone.add(key);
    }
  }
  return new Set([...gone].filter((key) => !present.has(key)));
}

/** Tools with another name in the file, and the method and path that they had. */
export function renamedTools(
  { base, current }: { base: readonly Region[]; current: readonly Region[] },
  before: JsonObject,
  after: JsonObject,
): Map<string, string> {
  const [had, has] = [base, current].map((regions) => new Set(regions.map(({ key }) => key)));
  const [old, now] = [before, after].map(({ tools }) => (isObject(tools) ? tools : {}));
  const requestIn = (tools: JsonObject, key: string) => {
    const tool = tools[key.slice('tool '.length)];
    return isObject(tool) ? `${tool.method} ${tool.path}` : undefined;
  };
  const fresh = [...(has ?? [])].filter((key) => key.startsWith('tool ') && !had?.has(key));
  return new Map(
    [...(had ?? [])].flatMap((key): [string, string][] => {
      if (!key.startsWith('tool ') || has?.has(key)) return [];
      const request = requestIn(old ?? {}, key);
      const same = fresh.filter((other) => request !== undefined && requestIn(now ?? {}, other) === request);
      const [to] = same;
      return to !== undefined && same.length === 1 ? [[key, to]] : [];
    }),
  );
}

/** `main`, as far as its text tells. */
export function mainOf(analysis: ModuleAnalysis): JsonObject {
  const main = analysis.read('main');
  return main.status === 'read' && isObject(main.value) ? main.value : {};
}

export function unix(text: string | undefined): string | undefined {
  return text?.replaceAll('\r\n', '\n');
}
