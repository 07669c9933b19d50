import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const program = require.resolve('@modelcontextprotocol/conformance/dist/index.js');

/** What the suite found out. */
export interface SuiteRun {
  exitCode: number;
  output: string;
  /** Scenarios in which each check that says something about the server was passed. */
  passed: string[];
  /** Scenarios without a failure, of which some check warned, or none said anything. */
  unclear: string[];
  /** Checks that failed: `<scenario>:<check>`. */
  failed: string[];
}

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
}

/** Runs the conformance suite of MCP against a server, as a process of its own. */
export async function runSuite(url: string, options: readonly string[]): Promise<SuiteRun> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const args = [program, 'server', '--url', url, '--output-dir', folder, ...options];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const [exitCode] = (await once(child, 'close')) as [number];
    return { exitCode, output, ...(await readResults(folder)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readResults(folder: string): Promise<Pick<SuiteRun, 'passed' | 'unclear' | 'failed'>> {
  const passed: string[] = [];
  const unclear: string[] = [];
  const failed: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)?.[1];
    if (scenario === undefined) continue;
    const checks: Check[] = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8'));
    const failures = checks.filter(({ status }) => status === 'FAILURE');
    // The suite looks at the form of all messages, whatever else a scenario is about.
    const said = checks.filter(({ id, status }) => id !== 'wire-schema-valid' && status !== 'INFO');
    if (failures.length > 0) failed.push(...new Set(failures.map(({ id }) => `${scenario}:${id}`)));
    else if (said.length > 0 && said.every(({ status }) => status === 'SUCCESS')) passed.push(scenario);
    else unclear.push(scenario);
  }
  return { passed, unclear, failed };
}
