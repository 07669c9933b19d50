import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { type Finding, SchemaKit } from '@schemakit/core';
import { nearestWord } from '@schemakit/core/internal';
import { groupOf } from '../groups/groups.ts';
import { loadGroup } from '../groups/load-group.ts';
import { schemaRoots } from '../groups/schema-roots.ts';
import { withIndex } from '../index/open-index.ts';
import type { CommandResult } from '../output/command-result.ts';
import { counted, printable } from '../output/terminal-text.ts';
import { missingGrants, waitingFindings } from '../sources/send-grants.ts';
import { listSources } from '../sources/source-state.ts';
import { secretsHint } from './command-hint.ts';
import { envFiles, readSecrets } from './read-secrets.ts';
import { readSettings, type Settings } from './read-settings.ts';

export interface Check {
  /** 1 global folder, 2 secrets, 3 schemas, 4 project, 5 groups, 6 machine. */
  level: number;
  name: string;
  /** Null if not checked. */
  ok: boolean | null;
  detail: string;
  path?: string;
  /** The command that fixes it, or what to do. */
  fix?: string;
}

export async function checkSettings(
  settings: Settings,
  { envFile }: { envFile?: string | undefined } = {},
): Promise<Check[]> {
  const roots = schemaRoots(settings);
  const schemaCount = await withIndex(settings, (index) => index.schemas().length, { isQuiet: true });
  const detail = `${counted(schemaCount, 'schema')} in ${counted(roots.length, 'source')}`;
  const schemas = { level: 3, name: 'schemas' };
  return [
    checkHome(settings),
    checkEnvFile(settings, envFile),
    schemaCount === 0
      ? { ...schemas, ok: false, detail: 'no schemas', fix: 'schemakit init' }
      : { ...schemas, ok: true, detail },
    ...(await checkSources(settings)),
    checkProject(settings),
    ...(await checkGroups(settings, envFile)),
  ];
}

/** A source with an invalid `_source.json` still works, but cannot be updated. */
async function checkSources({ paths }: Settings): Promise<Check[]> {
  const listed = await listSources({ folder: paths.home.schemas });
  const broken = listed.filter((source) => !source.status);
  return broken.map(({ name: source, finding }) => {
    return { level: 3, name: 'sources', path: finding.file ?? source, ...failedCheck(finding) };
  });
}

function checkHome({ paths, hasHome, findings }: Settings): Check {
  const { config } = paths.home;
  const check = { level: 1, name: 'globalConfig', path: config };
  const broken = findings.find(({ file, severity }) => file === config && severity === 'error');
  if (broken) return { ...check, ...failedCheck(broken) };
  if (!hasHome) return { ...check, ok: false, detail: 'not set up', fix: 'schemakit init' };
  return { ...check, ok: true, detail: 'readable' };
}

function checkEnvFile(settings: Settings, envFile: string | undefined): Check {
  const files = envFiles(settings).filter((file) => existsSync(file));
  const [path = settings.paths.home.env] = files;
  const check = { level: 2, name: 'envFile', path };
  const [finding] = readSecrets(settings, { env: {}, envFile }).findings;
  if (finding) return { ...check, path: finding.file ?? path, ...failedCheck(finding) };
  const { envPath } = settings.home;
  if (envPath !== undefined && !existsSync(envFiles(settings)[0] ?? '')) {
    return { ...check, ok: false, detail: `envPath names a missing file: ${envPath}`, fix: 'Create that file.' };
  }
  // All secrets may come from the environment.
  return { ...check, ok: true, detail: files.length === 0 ? 'none' : 'readable only by its owner' };
}

function checkProject({ paths, hasProject, mode, findings }: Settings): Check {
  const { config, folder } = paths.project;
  const check = { level: 4, name: 'localConfig', path: config };
  const broken = findings.find(({ file, severity }) => file?.startsWith(folder) && severity === 'error');
  if (broken) return { ...check, ...(broken.file !== undefined && { path: broken.file }), ...failedCheck(broken) };
  if (!hasProject) return { ...check, ok: false, detail: 'this folder is not a project', fix: 'schemakit init' };
  return { ...check, ok: true, detail: `mode ${mode ?? 'none'}` };
}

async function checkGroups(settings: Settings, envFile: string | undefined): Promise<Check[]> {
  const { groups, defaultGroup, hasProject } = settings;
  // checkProject reports problems of the project's files.
  if (!hasProject || !checkProject(settings).ok) return [];
  const check = { level: 5, name: 'groups' };
  const chosen = groupOf(settings, undefined);
  if (!chosen.ok) {
    const [first] = groups.keys();
    const suggestion = nearestWord(defaultGroup ?? '', groups.keys()) ?? first;
    const fix = suggestion === undefined ? 'schemakit add <tool>' : `schemakit group set-default ${suggestion}`;
    return [{ ...check, ok: false, detail: chosen.finding.message, fix }];
  }
  const detail = `${counted(groups.size, 'group')}; default group: ${chosen.name}`;
  const { findings, schemas, files } = await loadGroup(chosen.group, settings, { asks: false });
  const [error] = findings.filter(({ severity }) => severity === 'error');
  const used = error === undefined ? { ...check, ok: true, detail } : { ...check, ...failedCheck(error) };
  const declared = schemas.flatMap(({ main }) =>
    Array.isArray(main?.requiredServerParams) ? main.requiredServerParams : [],
  );
  const needed = new Set(declared.map(String));
  const available = readSecrets(settings, { envFile }).values;
  const missing = [...needed].filter((name) => available[name] === undefined);
  const secrets = { level: 2, name: 'envParams' };
  const fix = secretsHint(missing, settings);
  const values =
    missing.length === 0
      ? { ...secrets, ok: true, detail: `${counted(needed.size, 'secret')} needed, all set` }
      : { ...secrets, ok: false, detail: `missing: ${missing.join(', ')}`, fix };
  return [used, values, ...(await grantChecks(files))];
}

/** Grants that imported schemas lack. */
async function grantChecks(files: readonly { file: string }[]): Promise<Check[]> {
  const findings = waitingFindings(await missingGrants(files.map(({ file }) => file)));
  return findings.map((finding) => ({ level: 2, name: 'grants', ...failedCheck(finding) }));
}

function failedCheck({ message, hint, line, column }: Finding): Pick<Check, 'ok' | 'detail' | 'fix'> {
  const place = line === undefined ? '' : `line ${line}, column ${column ?? 1}: `;
  return { ok: false, detail: `${place}${message}`, ...(hint !== undefined && { fix: hint }) };
}

export function checksText(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, ok, detail, fix }) => {
      const [mark, colour] =
        ok === null ? (['-', 'dim'] as const) : ok ? (['✓', 'green'] as const) : (['✗', 'red'] as const);
      const line = `${styleText(colour, mark, { stream: process.stdout })} ${name.padEnd(width)}  ${printable(detail)}`;
      return fix === undefined || ok === true ? line : `${line}\n    ${printable(fix)}`;
    })
    .join('\n');
}

/** `schemakit doctor`: the checks of `status`, and whether this machine can run handlers. Does not use the network. */
export async function doctor({ envFile }: { envFile?: string } = {}): Promise<CommandResult> {
  const checks = [...(await checkSettings(readSettings(), { envFile })), ...(await checkMachine())];
  const faults = checks.filter(({ ok }) => ok === false);
  const [first] = faults;
  const text = () => checksText(checks);
  if (first === undefined) return { document: { status: true, checks }, text };
  const error = `${faults.length} of ${checks.length} checks failed: ${faults.map(({ name }) => name).join(', ')}.`;
  return { document: { status: false, error, fix: first.fix, checks }, text };
}

const probe = `export const main = {
  namespace: 'probe', name: 'Probe', description: 'Calls a handler', version: '3.0.0',
  root: 'local://probe', requiredServerParams: [], requiredLibraries: [], headers: {},
  tools: { ask: { method: 'GET', path: '/', description: 'Ask', parameters: [] } },
};
export const handlers = () => ({
  ask: { executeRequest: async ({ struct }) => ({ struct: { ...struct, status: true, data: 'ready' } }) },
});
`;

async function checkMachine(): Promise<Check[]> {
  const level = 6;
  return [
    // The command does not start on an older version.
    { level, name: 'node', ok: true, detail: process.versions.node },
    { level, name: 'handlers', ...(await startHandler()) },
    { level, name: 'network', ok: null, detail: 'not checked' },
  ];
}

async function startHandler(): Promise<Pick<Check, 'ok' | 'detail' | 'fix'>> {
  const folder = await mkdtemp(join(tmpdir(), 'schemakit-doctor-'));
  try {
    const filePath = join(folder, 'probe.mjs');
    await writeFile(filePath, probe);
    const schema = await SchemaKit.loadSchema({ filePath });
    const { status, messages } = await SchemaKit.fetch({ schema, routeName: 'ask' });
    if (status) return { ok: true, detail: 'a handler ran in its own process' };
    const fix = 'Handlers need a second Node.js process; check the limits on processes and memory.';
    return { ok: false, detail: `handlers cannot run: ${[...schema.messages, ...messages].join('; ')}`, fix };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
