import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { writeSchemas } from './schemas/write-schemas.ts';
import type { BenchmarkResult, Measurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

/** So many schemas have five thousand tools. */
const count = 1_200;
const cli = fileURLToPath(new URL('../packages/cli/', import.meta.url));
const command = join(cli, 'bin', 'schemakit.js');
/** Searching five thousand tools: with the built command. */
export function benchSearch({ rounds = 15 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    const home = join(folder, 'home');
    const schemas = join(home, 'schemas', 'bench');
    const project = join(folder, 'project');
    await mkdir(project, { recursive: true });
    await writeSchemas(schemas, { count });
    const options = { cwd: project, env: { ...process.env, SCHEMAKIT_HOME: home } };
    const startNode = () => runProcess(['-e', '0'], options);
    const version = () => runProcess([command, '--version'], options);
    const search = async () => {
      const measured = await runProcess([command, 'search', 'invoice', 'history'], options);
      if (!(JSON.parse(measured.stdout).matchCount > 0)) throw new Error(`no tools found: ${measured.stdout}`);
      return measured;
    };
    await search();
    const versions = await interleave({ rival: startNode, ours: version }, { rounds, warmUps: 2 });
    const searches = await interleave({ rival: version, ours: search }, { rounds, warmUps: 2 });
    return {
      title: 'search: keywords in more than 5,000 tools of 1,200 files',
      comparisons: [
        {
          what: 'schemakit --version',
          unit: 'ms',
          rival: { name: 'node -e 0', measurements: versions.rival },
          ours: versions.ours,
          target: { atMost: 1.3 },
        },
        {
          what: 'schemakit search invoice history',
          unit: 'ms',
          rival: { name: 'schemakit --version', measurements: searches.rival },
          ours: searches.ours,
          target: { atMost: 2 },
        },
      ],
      notes,
    };
  });
}

const notes = [
  'The command looks at the size and times of all 1,200 files, and opens none of them.',
  'The made-up tools share few words, so that most queries match hundreds of them: more than in a real library.',
];

interface ProcessMeasurement extends Measurement {
  stdout: string;
}

/** From the start of a process to its end. What it used of the processor is not known once it is gone. */
async function runProcess(
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<ProcessMeasurement> {
  const begun = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return { value: performance.now() - begun, cpu: undefined, stdout };
}
