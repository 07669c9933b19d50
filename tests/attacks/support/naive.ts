/**
 * The unprotected control: a program that imports a schema and calls its handlers with all that it has itself. Arguments: a
 * file with the job, and the file for the report.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { takeFingerprint } from './fingerprint.ts';
import { type Job, type JobReport, makeCalls } from './job.ts';

interface SchemaModule {
  main?: unknown;
  handlers?: (injected: object) => Record<string, { executeRequest(context: object): Promise<{ response: unknown }> }>;
}

const [jobFile = '', reportFile = ''] = process.argv.slice(2);
const job: Job = JSON.parse(readFileSync(jobFile, 'utf8'));
let written = 0;
for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) {
  console[name] = (...parts: unknown[]) => {
    written += parts.join(' ').length;
  };
}

const { list } = await import(pathToFileURL(job.list).href);
const sharedLists = { places: list.entries };
const opened: Record<string, ReturnType<NonNullable<SchemaModule['handlers']>> | undefined> = {};
const neighbour = await openSchema(job.neighbour, job.neighbourLibraries);
const changes = takeFingerprint();
process.send?.('begun');
const calls = await makeCalls({
  calls: job.calls,
  attack: () => tellAll(async () => callAttack(await openSchema(job.attack, job.libraries))),
  askNeighbour: (wait) =>
    tellAll(async () => {
      const answer = await neighbour.handlers?.work?.executeRequest(contextOf({ secret: job.secret, wait }));
      return answer?.response;
    }),
});
const report: JobReport = { ...calls, written, changed: changes() };
writeFileSync(reportFile, JSON.stringify(report));
process.exit();

async function openSchema(file: string, names: readonly string[]) {
  const { main, handlers }: SchemaModule = await import(pathToFileURL(file).href);
  const resolve = createRequire(file).resolve;
  const libraries: Record<string, unknown> = {};
  for (const name of names) {
    const path = resolve(name);
    const library: { default?: unknown } = await import(path === name ? name : pathToFileURL(path).href);
    libraries[name] = library.default ?? library;
  }
  opened[file] ??= handlers?.({ libraries, sharedLists });
  return { main, handlers: opened[file] };
}

async function callAttack({ main, handlers }: Awaited<ReturnType<typeof openSchema>>): Promise<unknown> {
  const answer = await handlers?.attack?.executeRequest(contextOf({}));
  return [main, answer?.response];
}

function contextOf(userParams: Record<string, unknown>): object {
  return { struct: { status: true, messages: [], data: null }, payload: { ...userParams, userParams }, userParams };
}

async function tellAll(work: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work()) ?? '';
  } catch (error) {
    return String(error);
  }
}
