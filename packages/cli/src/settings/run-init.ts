import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSchemaFiles } from '@schemakit/core';
import { type CommandResult, failed, failWith, usageError } from '../output/command-result.ts';
import { askAll, canAsk } from '../output/confirm.ts';
import { counted, reasonOf, shellWord } from '../output/terminal-text.ts';
import { refusedByMode } from '../run-command.ts';
import { importedFrom } from '../sources/lock-files.ts';
import { registryAddress } from '../sources/source-address.ts';
import { withProgressLine } from '../sources/source-options.ts';
import { failedSources, printSourceFindings, type SourceResult } from '../sources/source-result.ts';
import { askForPlan, type InitFlags, type Plan } from './ask-for-plan.ts';
import { isGroupName } from './config.ts';
import { checkSettings } from './health-checks.ts';
import { makeFolder } from './make-folder.ts';
import { openSettings } from './open-settings.ts';
import { isRecord, parseJson } from './parse-json.ts';
import { readSettings, type Settings } from './read-settings.ts';
import { settingsFinding } from './settings-codes.ts';
import type { SettingsPaths } from './settings-paths.ts';
import { type WriteResult, writeConfig, writeGroup } from './write-settings.ts';

const modeCommand = 'schemakit mode dev';

/** `schemakit init`: asks what to set up, then creates the global and the project settings. Keeps existing files. */
export async function init(flags: InitFlags): Promise<CommandResult> {
  const { yes, import: wantsCatalog, group = 'default', registry } = flags;
  const problem = registry === undefined ? undefined : registryProblem(registry, { wantsCatalog });
  if (problem !== undefined) return problem;
  if (!yes && !canAsk()) return usageError('Cannot ask questions without a terminal.', 'Run: schemakit init --yes');
  if (!isGroupName(group)) return usageError(`"${group}" is not a valid group name.`, 'Write --group default.');
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const copies = wantsCatalog && registry === undefined;
  const whole: Plan = { makesProject: true, group, mode: 'agent', copies, registry };
  const plan = yes ? whole : await askAll((question) => askForPlan(question, flags, opened.settings));
  if (plan === undefined) return failed('cancelled', { error: 'Cancelled: nothing was written.' });
  try {
    return await setUp(plan);
  } catch (error) {
    const hint = 'Check the permissions of the folder.';
    return failWith([settingsFinding('SET006', `cannot create the settings: ${reasonOf(error)}`, { hint })]);
  }
}

function registryProblem(url: string, { wantsCatalog }: { wantsCatalog: boolean }): CommandResult | undefined {
  if (!wantsCatalog) return usageError('--registry and --no-import cannot be combined.', 'Leave out one of them.');
  const parsed = registryAddress(url);
  if (!parsed.ok) return { ...failWith([parsed.finding]), failure: 'usage' };
  return refusedByMode('import-registry');
}

async function importFirst(url: string, folder: string): Promise<SourceResult> {
  const { importRegistry } = await import('../sources/import-source.ts');
  const result = await withProgressLine((onProgress) => importRegistry({ url, folder, onProgress }));
  printSourceFindings([result]);
  return result;
}

async function setUp({ copies, registry, makesProject, ...wanted }: Plan): Promise<CommandResult> {
  const before = readSettings();
  const home = await createHome(before.paths);
  if (!home.ok) return failWith([home.finding]);
  const catalog = copies ? await copyCatalog(readSettings()) : undefined;
  if (catalog?.ok === false) return failWith([catalog.finding]);
  const project = makesProject ? await createProject(readSettings(), wanted) : undefined;
  if (project?.ok === false) return failWith([project.finding]);
  const result = registry === undefined ? undefined : await importFirst(registry, before.paths.home.schemas);
  const settings = readSettings();
  const checks = await checkSettings(settings);
  const imported = importedBy(catalog, result);
  const created = [...home.created, ...(project?.created ?? [])];
  const { folder: homeFolder, env } = settings.paths.home;
  const next = nextCommands(catalog, result).filter((line) => line !== modeCommand || settings.mode === 'agent');
  const fields = {
    healthy: checks.every(({ ok }) => ok !== false),
    config: { envPath: env, initialized: settings.home.initialized ?? null },
    home: homeFolder,
    project: makesProject ? settings.paths.project.folder : null,
    mode: settings.mode,
    defaultGroup: settings.defaultGroup ?? null,
    created,
    imported,
    skipped: catalog?.copied === false ? catalog.reason : undefined,
    next,
  };
  const text = () =>
    [
      created.length === 0 ? 'Already set up.' : `Created:\n${created.map((path) => `  ${path}`).join('\n')}`,
      ...(imported === null ? [] : [`Source ${imported.source}: ${counted(imported.schemaCount, 'schema')}.`]),
      ...(catalog?.copied === false ? [catalog.reason] : []),
      `Next: ${next.join(', ')}`,
    ].join('\n');
  if (result?.status === false) return { ...failedSources([result], fields), text };
  return { document: { status: true, ...fields }, text };
}

function importedBy(
  catalog: CopiedCatalog | undefined,
  result: SourceResult | undefined,
): { source: string; schemaCount: number } | null {
  if (result?.name && result.schemaCount > 0) return { source: result.name, schemaCount: result.schemaCount };
  return catalog?.copied === true ? { source: catalog.source, schemaCount: catalog.schemaCount } : null;
}

function nextCommands(catalog: CopiedCatalog | undefined, result: SourceResult | undefined): string[] {
  const [first] = result?.trusted ?? [];
  const tool = catalog !== undefined ? 'frankfurter_getRates' : first && shellWord(`${result?.name}/${first}`);
  if (tool === undefined) return [modeCommand, 'schemakit import <url>'];
  return [`schemakit add ${tool}`, 'schemakit list', modeCommand];
}

const envText = `# Secrets for schemas, one per line: NAME=value
# Environment variables override this file.
`;

async function createHome({ home }: SettingsPaths): Promise<WriteResult & { created: string[] }> {
  const created = [...(isNew(home.folder) ? [home.folder] : []), ...(existsSync(home.schemas) ? [] : [home.schemas])];
  // It contains secrets.
  makeFolder(home.folder, { mode: 0o700 });
  makeFolder(home.schemas);
  if (await writeNew(home.env, envText)) created.push(home.env);
  if (!existsSync(home.config)) created.push(home.config);
  const written = await writeConfig(home, (fields) => ({ initialized: new Date().toISOString(), ...fields }));
  return { ...written, created };
}

/** Other commands may have created a cache in it. */
function isNew(folder: string): boolean {
  return !existsSync(folder) || readdirSync(folder).every((name) => name === 'cache');
}

async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Creates the project's folder with a mode and a default group, if it has none, and returns the new paths. */
async function createProject(
  { paths, groups, defaultGroup }: Settings,
  { group, mode }: Pick<Plan, 'group' | 'mode'>,
): Promise<WriteResult & { created: string[]; defaultGroup: string }> {
  const { project } = paths;
  const created = [project.config].filter((file) => !existsSync(file));
  const name = defaultGroup ?? (groups.has(group) ? group : ([...groups.keys()][0] ?? group));
  if (!groups.has(name)) {
    const made = await writeGroup(paths, name, (current) => current);
    if (!made.ok) return { ...made, created, defaultGroup: name };
  }
  const written = await writeConfig(project, (fields) => ({ mode, defaultGroup: name, ...fields }));
  return { ...written, created, defaultGroup: name };
}

const catalogSource = 'catalog';

type CopiedCatalog =
  | (WriteResult & { copied: true; source: string; schemaCount: number })
  | { ok: true; copied: false; reason: string };

/** Recognizes a copy of the catalog that the settings do not list: they were lost, or another `init` is running. */
function isCatalog(folder: string): boolean {
  try {
    const parsed = parseJson(readFileSync(join(folder, 'registry.json'), 'utf8'));
    return parsed.ok && isRecord(parsed.value) && parsed.value.registryType === 'catalog';
  } catch {
    return false; // The catalog has a readable registry.
  }
}

/** Copies the catalog of this package to the global schemas. Keeps existing files. */
async function copyCatalog({ paths, home }: Settings): Promise<CopiedCatalog> {
  const from = fileURLToPath(new URL('./catalog', import.meta.url));
  const to = join(paths.home.schemas, catalogSource);
  const type = home.sources.get(catalogSource)?.type;
  const isOther = type === undefined ? existsSync(to) && !isCatalog(to) : type !== 'builtin';
  if (isOther || importedFrom(to) !== undefined) {
    return { ok: true, copied: false, reason: `${to} already exists and is not the built-in catalog.` };
  }
  await cp(from, to, { recursive: true, force: false, filter: (path) => !path.endsWith('.md') });
  const schemaCount = (await findSchemaFiles([to])).length;
  const written = await writeConfig(paths.home, (fields) => ({
    ...fields,
    sources: { ...Object(fields.sources), [catalogSource]: { type: 'builtin', schemaCount } },
  }));
  return { ...written, copied: true, source: catalogSource, schemaCount };
}
