import { readFileSync, statSync } from 'node:fs';
import { McpServerValidator, type StartResult } from '@schemakit/validator';
import { type CommandResult, failed, misused } from '../output/command-result.ts';

type Read = { ok: true; value: StartResult } | { ok: false; result: CommandResult };

const FIX = 'Name a file that schemakit inspect --json has written.';

/** A result that `inspect --json` printed, whatever tool wrote it into its file. */
export function readEarlierResult(file: string): Read {
  const refused = (error: string): Read => ({ ok: false, result: misused(error, FIX) });
  try {
    const stats = statSync(file);
    // Devices such as /dev/zero have no end.
    if (stats.isDirectory() || stats.isCharacterDevice()) return refused(`${file} is no file.`);
    const value = JSON.parse(decoded(readFileSync(file))) as StartResult;
    const { status, findings } = McpServerValidator.compare({ before: value, after: value });
    if (status) return { ok: true, value };
    return refused(`${file} is no result of an inspection: ${findings[0]?.text}.`);
  } catch (error) {
    const text = `${file} cannot be read: ${(error as Error).message}`;
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? { ok: false, result: failed('notFound', { error: text, fix: FIX }) } : refused(text);
  }
}

/** PowerShell writes UTF-16, and many programs a byte order mark. */
function decoded(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
}
