import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Changes when schemas may be read differently than before, without loading what reads them. */
export function readerVersion(): string {
  try {
    const { resolve } = createRequire(import.meta.url);
    const { version } = JSON.parse(readFileSync(resolve('@schemakit/core/package.json'), 'utf8'));
    const { size, mtimeMs } = statSync(resolve('@schemakit/core'));
    return [version, size, mtimeMs].join(' ');
  } catch {
    return ''; // Not built, or packed into one file.
  }
}
