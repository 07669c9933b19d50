import type { Report } from './finding.ts';
import { promptFinding } from './prompt-codes.ts';

interface FilePathContext {
  code: 'SKL016' | 'PRM011';
  path: string;
  report: Report;
}

/** Reads the path of a skill's or a prompt's file: relative to the schema's folder, never out of it, a `.mjs` module. */
export function readPromptFilePath(value: unknown, { code, path, report }: FilePathContext): string | undefined {
  const file = typeof value === 'string' ? value.trim() : '';
  const flaw = flawOf(file);
  if (flaw === undefined) return file;
  const shown = file === '' ? 'the path of the file' : JSON.stringify(file);
  const example = code === 'SKL016' ? './skills/find-places.mjs' : './prompts/about.mjs';
  report(promptFinding(code, path, `${shown} ${flaw}`, { hint: `Write a path such as '${example}'.` }));
  return undefined;
}

function flawOf(file: string): string | undefined {
  if (file === '') return 'is missing';
  if (/^([\\/~]|[A-Za-z]:|[a-z]+:\/\/)/.test(file)) return 'is not relative to the schema';
  if (file.split(/[\\/]/).includes('..') || file.includes('\0')) return "leads out of the schema's folder";
  return file.endsWith('.mjs') ? undefined : 'is not a .mjs file';
}
