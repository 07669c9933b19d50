import { deepStrictEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { SchemaKit } from '@schemakit/core';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { writeSchemas } from './schemas/write-schemas.ts';
import type { BenchmarkResult, Measurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

const count = 500;
const program = fileURLToPath(new URL('./programs/load-files.ts', import.meta.url));

/** Milliseconds that the first and the second time took. */
interface Loadings {
  first: Measurement;
  second: Measurement;
}

/** Loading 500 schemas, checks included, against `import()` of the same files. Each measurement is a process of its own. */
export function benchLoad({ rounds = 15 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    await checkReading(await writeSchemas(folder, { count }));
    const { imported, loaded } = await interleave(
      { imported: () => loadIn('import', folder), loaded: () => loadIn('schemakit', folder) },
      { rounds },
    );
    const rival = { name: 'import()', measurements: imported.map(({ first }) => first) };
    const first = loaded.map((loadings) => loadings.first);
    const second = loaded.map((loadings) => loadings.second);
    return {
      title: `load: ${count} schema files, read and checked`,
      comparisons: [
        { what: 'cold', unit: 'ms', rival, ours: first, target: { atMost: 3.3 } },
        { what: 'again in the same process', unit: 'ms', rival, ours: second, target: { atMost: 1 } },
      ],
      notes,
    };
  });
}

const notes = [
  'One file after the other, in a fresh process; starting the process and importing the library is not counted.',
  '`import()` runs the code of a file and checks nothing; SchemaKit runs nothing, and parses, scans and checks all of it.',
  '"Again" is compared with the cold `import()` too: its second one does nothing at all.',
];

/** What is read must be what running the file gives, or its speed is worth nothing. */
async function checkReading(files: readonly string[]): Promise<void> {
  for (const filePath of files) {
    const { main } = await SchemaKit.loadSchema({ filePath });
    const module = await import(pathToFileURL(filePath).href);
    deepStrictEqual(main, module.main);
  }
}

async function loadIn(side: 'import' | 'schemakit', folder: string): Promise<Loadings> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, side, folder]);
  return JSON.parse(stdout);
}
