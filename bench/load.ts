import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { writeSchemas } from './schemas/write-schemas.ts';
import type { BenchmarkResult } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

const count = 500;
const program = fileURLToPath(new URL('./programs/load-files.ts', import.meta.url));

interface Loading {
  /** Milliseconds. */
  elapsed: number;
  cpu: number;
}

interface Loadings {
  first: Loading;
  second: Loading;
}

/** Loading 500 schemas, checks included, against `import()` of the same files. Each measurement is a process of its own. */
export function benchLoad({ rounds = 15 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    await writeSchemas(folder, { count });
    const loads = await interleave(
      { imported: () => loadIn('import', folder), loaded: () => loadIn('schemakit', folder) },
      { rounds },
    );
    const rival = (of: keyof Loading) => ({ name: 'import()', values: loads.imported.map(({ first }) => first[of]) });
    const ours = (which: keyof Loadings, of: keyof Loading) => loads.loaded.map((loadings) => loadings[which][of]);
    return {
      title: `load: ${count} schema files, read and checked`,
      comparisons: [
        {
          what: 'cold',
          unit: 'ms',
          rival: rival('elapsed'),
          ours: ours('first', 'elapsed'),
          target: { atMost: 3 },
        },
        { what: 'cold, processor time', unit: 'ms', rival: rival('cpu'), ours: ours('first', 'cpu') },
        {
          what: 'again in the same process',
          unit: 'ms',
          rival: rival('elapsed'),
          ours: ours('second', 'elapsed'),
          target: { atMost: 1 },
        },
        { what: 'again, processor time', unit: 'ms', rival: rival('cpu'), ours: ours('second', 'cpu') },
      ],
      notes: [
        'One file after the other, in a fresh process; starting the process and importing the library is not counted.',
        '`import()` runs the code of a file and checks nothing; SchemaKit runs nothing, and parses, scans and checks all of it.',
      ],
    };
  });
}

async function loadIn(side: 'import' | 'schemakit', folder: string): Promise<Loadings> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, side, folder]);
  return JSON.parse(stdout);
}
