import { type CommandResult, failedOver, misused } from '../output/command-result.ts';
import { ask, canAsk } from '../output/confirm.ts';
import { counted, shellWord } from '../output/terminal-text.ts';
import { refusedByMode } from '../run-command.ts';
import { isGroupName } from '../settings/config.ts';
import { openSettings } from '../settings/open-settings.ts';
import { readSettings } from '../settings/read-settings.ts';
import { settingsFinding } from '../settings/settings-codes.ts';
import { registryAddress } from '../sources/source-address.ts';
import { withProgressLine } from '../sources/source-options.ts';
import { failedSources, printSourceFindings, type SourceResult } from '../sources/source-result.ts';
import { checkSettings } from './check-settings.ts';
import { type CopiedCatalog, copyCatalog, createHome, createProject } from './set-up.ts';

const modeCommand = 'schemakit mode dev';

interface InitFlags {
  yes: boolean;
  /** False for `--no-import`. */
  import: boolean;
  group: string;
  /** Address of a registry to import in place of the catalog. */
  registry?: string;
}

/** `schemakit init`: makes both levels of settings, and offers the built-in catalog. What is there is left as it is. */
export async function init({ yes, import: wantsCatalog, group, registry }: InitFlags): Promise<CommandResult> {
  const problem = registry === undefined ? undefined : registryProblem(registry, { wantsCatalog });
  if (problem !== undefined) return problem;
  if (!yes && !canAsk()) return misused('There is no terminal to ask at.', 'Run: schemakit init --yes');
  if (!isGroupName(group)) return misused(`"${group}" cannot be the name of a group.`, 'Write --group default.');
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const copies =
    wantsCatalog && registry === undefined && (yes || (await ask('Copy the built-in catalog of schemas?')));
  const makesProject = yes || (await ask(`Make ${settings.places.project.root} a project?`));
  try {
    return await setUp(group, { copies, registry, makesProject });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = 'Check the rights of the folder.';
    return failedOver([settingsFinding('SET006', `the settings cannot be made: ${reason}`, { hint })]);
  }
}

/** Why a registry cannot be imported; looked at before anything is written. */
function registryProblem(url: string, { wantsCatalog }: { wantsCatalog: boolean }): CommandResult | undefined {
  if (!wantsCatalog) return misused('--registry and --no-import exclude each other.', 'Leave out one of them.');
  const reading = registryAddress(url);
  if (!reading.ok) return { ...failedOver([reading.finding]), failure: 'usage' };
  return refusedByMode('import-registry');
}

async function importFirst(url: string, folder: string): Promise<SourceResult> {
  const { importRegistry } = await import('../sources/import-source.ts');
  const result = await withProgressLine((onProgress) => importRegistry({ url, folder, onProgress }));
  printSourceFindings([result]);
  return result;
}

interface SetUp {
  copies: boolean;
  registry: string | undefined;
  makesProject: boolean;
}

async function setUp(group: string, { copies, registry, makesProject }: SetUp): Promise<CommandResult> {
  const before = readSettings();
  const home = await createHome(before.places);
  if (!home.ok) return failedOver([home.finding]);
  const catalog = copies ? await copyCatalog(readSettings()) : undefined;
  if (catalog?.ok === false) return failedOver([catalog.finding]);
  const project = makesProject ? await createProject(readSettings(), group) : undefined;
  if (project?.ok === false) return failedOver([project.finding]);
  const result = registry === undefined ? undefined : await importFirst(registry, before.places.home.schemas);
  const settings = readSettings();
  const checks = await checkSettings(settings);
  const imported = importedBy(catalog, result);
  const skipped = catalog?.copied === false ? { skipped: catalog.reason } : {};
  const created = [...home.created, ...(project?.created ?? [])];
  const { folder: homeFolder, env } = settings.places.home;
  const next = nextCommands(catalog, result).filter((line) => line !== modeCommand || settings.mode === 'agent');
  const fields = {
    healthy: checks.every(({ ok }) => ok !== false),
    config: { envPath: env, initialized: settings.home.initialized ?? null },
    home: homeFolder,
    project: makesProject ? settings.places.project.folder : null,
    mode: settings.mode,
    defaultGroup: settings.defaultGroup ?? null,
    created,
    imported,
    ...skipped,
    next,
  };
  const text = () =>
    [
      created.length === 0
        ? 'Everything was there already.'
        : `Made:\n${created.map((path) => `  ${path}`).join('\n')}`,
      ...(imported === null ? [] : [`The source ${imported.source} has ${counted(imported.schemaCount, 'schema')}.`]),
      ...(catalog?.copied === false ? [catalog.reason] : []),
      `Go on with: ${next.join(', ')}`,
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
  const tool = catalog !== undefined ? 'garden_searchPlants' : first && shellWord(`${result?.name}/${first}`);
  if (tool === undefined) return [modeCommand, 'schemakit import <url>'];
  return [`schemakit add ${tool}`, 'schemakit list', modeCommand];
}
