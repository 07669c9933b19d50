import type { Finding } from '@schemakit/core';
import type { IndexedTool } from '../index/indexed-tool.ts';
import { withIndex } from '../index/open-index.ts';
import { isCallable } from '../index/update-index.ts';
import type { Settings } from '../settings/read-settings.ts';
import { type ReferencedFile, schemaRoots } from './schema-roots.ts';

export type NamedTool =
  | {
      ok: true;
      tool: IndexedTool;
      /** What to load to call it. */
      file: ReferencedFile;
    }
  | { ok: false; findings: readonly Finding[] };

/**
 * Finds the one tool, query or document that a name or a reference means, from the index: no schema is opened. Findings are
 * those of the library's references, `REF006` for nothing and `REF007` for several.
 */
export function findTool(settings: Settings, name: string): Promise<NamedTool> {
  return withIndex(settings, async (index) => {
    const { outcome, tools, findings } = await index.find(name);
    const callable = tools.filter(isCallable);
    const [tool] = callable;
    if (outcome !== 'match') return { ok: false, findings };
    if (tool === undefined || callable.length > 1) return { ok: false, findings: [notOne(name, callable)] };
    return { ok: true, tool, file: fileOf(tool, settings) };
  });
}

function fileOf({ file, path, source }: IndexedTool, settings: Settings): ReferencedFile {
  const root = schemaRoots(settings).find((candidate) => candidate.source === source);
  return { reference: file, file: path, approved: root?.approved === true };
}

function notOne(text: string, tools: readonly IndexedTool[]): Finding {
  const isNone = tools.length === 0;
  return {
    code: isNone ? 'REF006' : 'REF007',
    severity: 'error',
    path: '',
    message: isNone ? `${JSON.stringify(text)} is no tool` : `${JSON.stringify(text)} can be any of ${tools.length}`,
    hint: isNone ? 'Run: schemakit search' : `Write one of ${tools.map((tool) => tool.name).join(', ')}.`,
  };
}
