/** A program that uses the library as anybody does. It is sent jobs, and sends back what it saw of them. */
import { type LoadedSchema, SchemaKit } from '@schemakit/core';
import { takeFingerprint } from './fingerprint.ts';
import { type Job, type JobReport, makeCalls } from './job.ts';

/** `scan`: how `loadSchema` likes the file. `call`: the scan only reports, so that the sandbox is alone. */
export type CallerRequest = { kind: 'scan'; file: string } | { kind: 'call'; job: Job };

export interface ScanReport {
  status: boolean;
  /** Of the findings that are errors. */
  codes: readonly string[];
}

export interface CallReport extends JobReport {
  loaded: ScanReport;
}

process.on('message', async (request: CallerRequest) => {
  process.send?.(request.kind === 'scan' ? await scan(request.file) : await call(request.job));
});

async function scan(file: string): Promise<ScanReport> {
  return summaryOf(await SchemaKit.loadSchema({ filePath: file }));
}

/** The limit of hooks: short for attacks, so that they end soon. The neighbour gets more, for a busy machine. */
const { SCHEMAKIT_HANDLER_TIMEOUT_MS: attackMs = '' } = process.env;
const neighbourMs = '10000';

function limitHooks(milliseconds: string): void {
  process.env.SCHEMAKIT_HANDLER_TIMEOUT_MS = milliseconds;
}

async function call(job: Job): Promise<CallReport> {
  const neighbour = await SchemaKit.loadSchema({ filePath: job.neighbour });
  if (!neighbour.status) throw new Error(neighbour.messages.join('\n'));
  let written = 0;
  const onLog = (_level: string, text: string): void => {
    written += text.length;
  };
  const changes = takeFingerprint();
  const loaded = await SchemaKit.loadSchema({ filePath: job.attack, scan: 'report' });
  const calls = await makeCalls({
    calls: job.calls,
    async attack() {
      const { main, messages: problems } = loaded;
      if (!loaded.status) return problems.join('\n');
      limitHooks(attackMs);
      const { data, messages, findings } = await SchemaKit.fetch({ main, routeName: 'attack', onLog });
      return JSON.stringify([main, data, messages, findings.map(({ hint }) => hint)]);
    },
    async askNeighbour(wait) {
      const userParams = { secret: job.secret, wait };
      limitHooks(neighbourMs);
      const answer = await SchemaKit.fetch({ main: neighbour.main, routeName: 'work', userParams });
      limitHooks(attackMs);
      const { status, data, messages } = answer;
      return status ? JSON.stringify(data) : `failed: ${messages.join()}`;
    },
  });
  return { ...calls, written, changed: changes(), loaded: summaryOf(loaded) };
}

function summaryOf({ status, findings }: LoadedSchema): ScanReport {
  const errors = findings.filter(({ severity }) => severity === 'error');
  return { status, codes: errors.map(({ code }) => code) };
}
