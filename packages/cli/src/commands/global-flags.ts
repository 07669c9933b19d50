import { statSync } from 'node:fs';
import { resolve } from 'node:path';

export type GlobalFlags =
  | { ok: true; args: readonly string[]; json: boolean; cwd: string; allow: readonly string[] }
  | { ok: false; json: boolean; error: string; fix: string };

/** Parses and removes the flags of every command, `--cwd <dir>`, `--allow-library <name>` and `--json`. Arguments after `--` stay. */
export function readGlobalFlags(words: readonly string[]): GlobalFlags {
  const end = words.indexOf('--');
  const own = end === -1 ? words : words.slice(0, end);
  const args: string[] = [];
  const allow: string[] = [];
  let json = false;
  let cwd = '.';
  for (let index = 0; index < own.length; index += 1) {
    const word = own[index] ?? '';
    if (word === '--json') json = true;
    else if (word.startsWith('--json=')) {
      return { ok: false, json, error: '--json takes no value.', fix: 'Write --json alone.' };
    } else if (word === '--cwd') {
      cwd = own[index + 1] ?? '';
      index += 1;
    } else if (word.startsWith('--cwd=')) cwd = word.slice('--cwd='.length);
    else if (word === '--allow-library') {
      allow.push(own[index + 1] ?? '');
      index += 1;
    } else if (word.startsWith('--allow-library=')) allow.push(word.slice('--allow-library='.length));
    else args.push(word);
  }
  const problem = folderProblem(cwd);
  if (problem !== undefined) return { ok: false, json, error: problem, fix: 'Write --cwd <folder of the project>.' };
  if (allow.some((name) => name === '' || name.startsWith('-'))) {
    return {
      ok: false,
      json,
      error: '--allow-library needs the name of a library.',
      fix: 'Write --allow-library <name>.',
    };
  }
  return { ok: true, args: [...args, ...(end === -1 ? [] : words.slice(end))], json, cwd: resolve(cwd), allow };
}

function folderProblem(cwd: string): string | undefined {
  if (cwd === '' || cwd.startsWith('-')) return '--cwd needs a folder.';
  return statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ? undefined : `--cwd: ${cwd} is not a folder.`;
}
