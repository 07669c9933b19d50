import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openRecordingSession, placeholderOf, type RecordingSession } from '../../testing/recordings/record-replay.ts';
import { readRecording } from '../../testing/recordings/recording.ts';
import { shownFile } from '../../testing/test-case.ts';
import type { ModelAccess } from './model-access.ts';
import type { Manifest, OpenedAgent } from './open-agent.ts';

/** What a run depends on. A recording has it, too, so that a replay goes the same way. */
export interface Circumstances {
  llm: ModelAccess;
  clock: () => Date;
  serverParams: Readonly<Record<string, string>>;
  session?: RecordingSession;
}

interface RecordingOptions {
  agent: OpenedAgent;
  llm: ModelAccess;
  flags: { record: boolean; replay: boolean };
}

/** Opens the recording of a test, if it is recorded or replayed. */
export async function openRecording(
  test: Manifest['tests'][number],
  { agent, llm, flags }: RecordingOptions,
): Promise<Circumstances | { problem: string; fix?: string }> {
  const now = new Date();
  const { serverParams, secretNames, manifest } = agent;
  if (!flags.record && !flags.replay) return { llm, clock: () => new Date(), serverParams };
  const { apiKey, ...access } = llm;
  const named = recordingFile(test, agent);
  const opened = await openRecordingSession({
    kind: flags.replay ? 'replay' : 'record',
    path: flags.replay ? await recordedFile(named, test, agent) : named,
    about: {
      agent: manifest.name,
      test: { _description: test._description, input: test.input },
      time: now.toISOString(),
      llm: access,
      secrets: secretNames.filter((name) => serverParams[name]),
    },
    secrets: [apiKey, ...Object.values(serverParams)],
  });
  if ('missing' in opened) return { problem: `no recording ${shownFile(named)}`, fix: 'Record the tests: --record.' };
  if ('findings' in opened) {
    const [{ message, hint } = { message: 'the recording cannot be read' }] = opened.findings;
    return { problem: message, ...(hint !== undefined && { fix: hint }) };
  }
  const { session, about } = opened;
  if (flags.record) return { session, llm, clock: () => now, serverParams };
  const recorded = about as { time?: string; llm?: Omit<ModelAccess, 'apiKey'>; secrets?: readonly string[] };
  const time = new Date(recorded.time ?? now);
  return {
    session,
    llm: { ...llm, ...recorded.llm },
    // The system prompt has the date.
    clock: () => time,
    // A replay needs no secrets, and cannot reveal any.
    serverParams: Object.fromEntries((recorded.secrets ?? secretNames).map((name) => [name, placeholderOf(name)])),
  };
}

export function recordingsFolder({ file }: OpenedAgent): string {
  return join(dirname(file), 'recordings');
}

/** `recordings/<agent>/<description>.json`: tests can change places, and agents can share a folder. */
function recordingFile(test: Manifest['tests'][number], agent: OpenedAgent): string {
  const { name, tests } = agent.manifest;
  const own = slug(test);
  const same = tests.filter((other) => slug(other) === own);
  const number = same.indexOf(test) + 1;
  return join(recordingsFolder(agent), name, `${own}${number > 1 ? `-${number}` : ''}.json`);
}

function slug({ _description }: Manifest['tests'][number]): string {
  const words = _description
    .normalize()
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? ['test'];
  return [...words.join('-')].slice(0, 60).join('').replace(/-$/, '');
}

/** The file with the recording of a test: under its name, or one of the same question. Older ones are `recordings/<number>.json`. */
async function recordedFile(named: string, { input }: Manifest['tests'][number], agent: OpenedAgent): Promise<string> {
  const old = await filesIn(recordingsFolder(agent), /^\d+\.json$/);
  for (const file of [named, ...(await filesIn(dirname(named), /\.json$/)), ...old]) {
    const read = await readRecording(file);
    if (file === named && read.status !== 'missing') return named;
    const { test }: { test?: { input?: unknown } } = read.status === 'read' ? read.about : {};
    if (test?.input === input) return file;
  }
  return named;
}

async function filesIn(folder: string, name: RegExp): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((file) => name.test(file)).map((file) => join(folder, file));
}
