import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { schemakitCommand } from './processes/servers.ts';
import { startUpstream } from './processes/start-upstream.ts';
import { withTemporaryFolder } from './processes/temporary-folder.ts';
import { stationsAnswer, stationsSchema } from './schemas/stations.ts';
import { writeSchemas } from './schemas/write-schemas.ts';
import type { BenchmarkResult, Measurement } from './statistics/comparison.ts';
import { interleave } from './statistics/interleave.ts';

/** So many schemas have five thousand tools. */
const count = 1_200;
const requestOnce = fileURLToPath(new URL('./programs/request-once.js', import.meta.url));
const words = ['call', 'stations_searchStations', 'q=leipzig', 'sort=platforms', 'limit=5'];

/** The command as a process: a call of one tool among five thousand, and the least that it can do. */
export function benchCall({ rounds = 15 }: { rounds?: number }): Promise<BenchmarkResult> {
  return withTemporaryFolder(async (folder) => {
    const upstream = await startUpstream();
    try {
      const project = await makeProject(folder, upstream.url);
      const options = { cwd: project, env: { ...process.env, SCHEMAKIT_HOME: join(folder, 'home') } };
      const call = () => runOnce([schemakitCommand, ...words], options);
      const request = () => runOnce([requestOnce, upstream.url], options);
      for (const run of [call, request]) checkAnswer((await run()).stdout);
      const calls = await interleave({ rival: request, ours: call }, { rounds, warmUps: 2 });
      const nothing = () => runOnce(['-e', '0'], options);
      const version = () => runOnce([schemakitCommand, '--version'], options);
      const starts = await interleave({ rival: nothing, ours: version }, { rounds, warmUps: 2 });
      return {
        title: 'call: the command as a process of its own',
        comparisons: [
          {
            what: 'call a tool without handlers, one of 5,000',
            unit: 'ms',
            rival: { name: 'undici.request', measurements: calls.rival },
            ours: calls.ours,
            target: { atMost: 1.5 },
          },
          {
            what: '--version',
            unit: 'ms',
            rival: { name: 'node -e 0', measurements: starts.rival },
            ours: starts.ours,
            target: { atMost: 1.3 },
          },
        ],
        notes,
      };
    } finally {
      await upstream.close();
    }
  });
}

const notes = [
  'The rival is a script that imports undici, makes the same request and prints the same answer.',
  'From the start of a process to its end; the upstream is on loopback and does next to nothing.',
];

/** A project with one active tool, and a library of others beside it. */
async function makeProject(folder: string, root: string): Promise<string> {
  const project = join(folder, 'project');
  const groups = join(project, '.schemakit', 'groups');
  for (const path of [groups, join(project, 'schemas'), join(folder, 'home')]) await mkdir(path, { recursive: true });
  await writeSchemas(join(folder, 'home', 'schemas', 'library'), { count });
  await writeFile(join(folder, 'home', 'config.json'), '{}');
  await writeFile(join(project, 'schemas', 'stations.mjs'), stationsSchema({ root }));
  await writeFile(join(project, '.schemakit', 'config.json'), '{ "mode": "agent", "defaultGroup": "default" }');
  const tools = ['schemas/stations.mjs::tool::searchStations'];
  await writeFile(join(groups, 'default.json'), JSON.stringify({ description: '', tools }));
  return project;
}

type Run = Measurement & { stdout: string };

async function runOnce(args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<Run> {
  const begun = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return { value: performance.now() - begun, cpu: undefined, stdout };
}

function checkAnswer(stdout: string): void {
  const { content } = JSON.parse(stdout) as { content?: unknown };
  if (!isDeepStrictEqual(content, JSON.parse(stationsAnswer))) throw new Error(`this is no answer: ${stdout}`);
}
