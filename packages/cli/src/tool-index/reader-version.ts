import { readFileSync, statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** Changes when schemas may be read differently than before, without loading what reads them. */
export function readerVersion(): string {
  try {
    // As `import` finds the package, which takes four times as long.
    const manifest = findPackageJSON('@schemakit/core', import.meta.url) ?? '';
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    const { size, mtimeMs } = statSync(join(dirname(manifest), 'dist', 'index.js'));
    return [version, size, mtimeMs].join(' ');
  } catch {
    return ''; // Not built, or packed into one file.
  }
}
