import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { CodeAttack } from '../attack.ts';
import { attackText } from './attack-module.ts';
import type { CallerRequest, CallReport, ScanReport } from './caller.ts';
import { startChild, watchChild } from './child.ts';
import type { Job, JobReport } from './job.ts';
import { startListener } from './listener.ts';
import { neighbourText } from './neighbour.ts';
import { type Canaries, type Harms, harmsIn, type Observation } from './observation.ts';

type NeighbourPlace = 'one source' | 'another source';

/** A place where attacks are let loose: a folder with canaries, a listener, and a process that uses the library. */
export interface AttackField {
  /** What the attack does to a program that imports it. */
  control(attack: CodeAttack): Promise<Harms>;
  /** How `loadSchema` likes it: `accepted`, or the code of the first error. */
  scan(attack: CodeAttack): Promise<string>;
  /** What it does to a program that uses the library, without the scan. */
  sandbox(attack: CodeAttack, neighbourOf: NeighbourPlace): Promise<{ harms: Harms; isLoaded: boolean }>;
  close(): Promise<void>;
}

const handlerTimeoutMs = 1000;
/** After this time without an answer the control counts as hung. */
const hangMs = 600;
const longestMs = 30_000;
/** A caller, eight hosts of which seven are idle, and one at its limit: 256 MiB of heap and as much in buffers. */
const maxTotalMb = 1536;

/** Opens a field. Every value that must not be seen is new. */
export async function openAttackField(): Promise<AttackField> {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-attacks-'));
  const canaries: Canaries = {
    environment: canary(),
    file: canary(),
    neighbour: canary(),
    paths: [basename(folder), '/tests/attacks/', '/packages/core/', '/node_modules/', 'node:internal'],
  };
  const env = {
    ATTACK_CANARY: canaries.environment,
    SCHEMAKIT_HANDLER_TIMEOUT_MS: String(handlerTimeoutMs),
  };
  const listener = await startListener();
  const file = join(folder, 'private.txt');
  const drop = join(folder, 'dropped.txt');
  await writeFile(file, canaries.file);
  await mkdir(join(folder, 'elsewhere'));
  await cp(new URL('../fixtures/libraries', import.meta.url), join(folder, 'node_modules'), { recursive: true });
  await cp(new URL('../fixtures/_lists', import.meta.url), join(folder, '_lists'), { recursive: true });
  let caller: ChildProcess | undefined;
  let count = 0;

  async function prepare(attack: CodeAttack, neighbourOf: NeighbourPlace = 'one source'): Promise<Job> {
    rmSync(drop, { force: true });
    listener.reset();
    count += 1;
    const path = join(folder, `attack-${count}.mjs`);
    await writeFile(path, attackText(attack, { file, drop, listener: listener.origin }));
    const { calls = 'once', libraries = [] } = attack;
    const neighbourLibraries = ['crypto', 'zlib', ...(attack.neighbour === undefined ? [] : ['moment'])];
    const neighbourFolder = neighbourOf === 'one source' ? folder : join(folder, 'elsewhere');
    const neighbour = join(neighbourFolder, `neighbour-${neighbourLibraries.length}.mjs`);
    await writeFile(neighbour, neighbourText({ libraries: neighbourLibraries }));
    const list = join(folder, '_lists', 'places.mjs');
    return { attack: path, neighbour, secret: canaries.neighbour, calls, libraries, neighbourLibraries, list };
  }

  function harmsOf(attack: CodeAttack, report: JobReport | undefined, ended?: Observation['ended']): Harms {
    const seen: Observation = {
      ...(report ?? { told: '', written: 0, neighbour: ['{}'], neighbourMs: 0, changed: [] }),
      arrived: listener.arrived(),
      dropped: existsSync(drop),
      ...(ended !== undefined && { ended }),
    };
    return harmsIn(seen, canaries, { mayReachListener: attack.root === '%LISTENER%' });
  }

  /** Asks the process that uses the library; a new one is started where the last one was lost. */
  async function ask(request: CallerRequest): Promise<{ report: unknown; ended?: Observation['ended'] }> {
    caller ??= startChild(new URL('./caller.ts', import.meta.url), [], env);
    caller.send(request);
    const outcome = await watchChild(caller, { deadlineMs: longestMs, memoryMb: maxTotalMb });
    if (outcome.type === 'message') return { report: outcome.message };
    caller = undefined;
    return { report: undefined, ended: endings[outcome.type] };
  }

  return {
    async control(attack) {
      const job = await prepare(attack);
      const jobFile = join(folder, 'job.json');
      const reportFile = join(folder, 'report.json');
      rmSync(reportFile, { force: true });
      await writeFile(jobFile, JSON.stringify(job));
      const child = startChild(new URL('./naive.ts', import.meta.url), [jobFile, reportFile], {
        ATTACK_CANARY: canaries.environment,
      });
      const begun = await watchChild(child, { deadlineMs: longestMs, memoryMb: 600 });
      if (begun.type !== 'message') throw new Error(`the control did not begin: ${begun.type}`);
      const isHang = attack.harm === 'hangs the calling process';
      const outcome = await watchChild(child, { deadlineMs: isHang ? hangMs : longestMs, memoryMb: 600 });
      if (outcome.type === 'message') throw new Error('the control sent what it should not');
      if (existsSync(reportFile)) return harmsOf(attack, JSON.parse(readFileSync(reportFile, 'utf8')));
      return harmsOf(attack, undefined, endings[outcome.type]);
    },
    async scan(attack) {
      const { attack: path } = await prepare(attack);
      const { report, ended } = await ask({ kind: 'scan', file: path });
      if (ended !== undefined) return ended;
      const { status, codes } = report as ScanReport;
      return status ? 'accepted' : (codes[0] ?? 'refused');
    },
    async sandbox(attack, neighbourOf) {
      const { report, ended } = await ask({ kind: 'call', job: await prepare(attack, neighbourOf) });
      const { loaded } = (report ?? {}) as Partial<CallReport>;
      return {
        harms: harmsOf(attack, report as CallReport | undefined, ended),
        isLoaded: loaded?.status ?? false,
      };
    },
    async close() {
      if (caller?.connected) {
        const gone = once(caller, 'exit');
        caller.disconnect();
        await gone;
      }
      await listener.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const endings: Record<'exit' | 'deadline' | 'memory', NonNullable<Observation['ended']>> = {
  exit: 'by itself',
  deadline: 'killed at the deadline',
  memory: 'out of memory',
};

function canary(): string {
  return `canary-${randomBytes(12).toString('hex')}`;
}
