import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CommandResult, failed } from '../../output/command-result.ts';
import { counted, printable, reasonOf } from '../../output/terminal-text.ts';

/** Why a file cannot be written, known before anything is sent. */
export function outputProblem(file: string): string | undefined {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) return `${file} is a folder.`;
  const folder = dirname(file);
  return existsSync(folder) ? undefined : `There is no folder ${folder}.`;
}

/** Writes the bytes of an answer, or data that came without one as text, to a file: the whole, or nothing. */
export function writeOutput(
  file: string,
  { toolName, body, data }: { toolName: string; body: Uint8Array | undefined; data: unknown },
): CommandResult {
  const bytes = body ?? Buffer.from(typeof data === 'string' ? data : `${JSON.stringify(data, null, 2)}\n`);
  try {
    replace(file, bytes);
  } catch (error) {
    return failed('other', {
      toolName,
      error: `The answer cannot be written: ${reasonOf(error)}`,
      fix: 'Write --output <file> in a folder that you can write to.',
    });
  }
  const count = bytes.byteLength;
  return {
    document: { status: true, toolName, output: file, bytes: count },
    text: () => `Wrote ${counted(count, 'byte')} to ${printable(file)}.`,
  };
}

function replace(file: string, bytes: Uint8Array): void {
  const info = statSync(file, { throwIfNoEntry: false });
  // A device or a pipe cannot be replaced.
  if (info !== undefined && !info.isFile()) {
    writeFileSync(file, bytes);
    return;
  }
  const unfinished = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(unfinished, bytes, { flag: 'wx', ...(info && { mode: info.mode }) });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
