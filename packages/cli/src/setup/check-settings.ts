import { existsSync } from 'node:fs';
import { styleText } from 'node:util';
import { type Finding, nearestWord } from '@schemakit/core';
import { groupOf } from '../groups/groups.ts';
import { loadGroup } from '../groups/load-group.ts';
import { allReferenced, schemaRoots } from '../groups/schema-roots.ts';
import { counted, printable } from '../output/terminal-text.ts';
import { envFiles, readSecrets } from '../settings/read-secrets.ts';
import type { Settings } from '../settings/read-settings.ts';
import { listSources } from '../sources/source-state.ts';

/** One thing that was looked at. */
export interface Check {
  /** 1 the global folder, 2 secrets, 3 schemas, 4 the project, 5 groups, 6 this machine. */
  level: number;
  name: string;
  /** Null where it was not tried. */
  ok: boolean | null;
  detail: string;
  path?: string;
  /** The command that mends it, or what to do. */
  fix?: string;
}

/** Looks at all settings, and says what is wrong and what mends it. Nothing is called. */
export async function checkSettings(settings: Settings): Promise<Check[]> {
  const roots = schemaRoots(settings);
  const schemaCount = (await allReferenced(roots)).length;
  const detail = `${counted(schemaCount, 'schema')} in ${counted(roots.length, 'source')}`;
  const schemas = { level: 3, name: 'schemas' };
  return [
    checkHome(settings),
    checkEnvFile(settings),
    schemaCount === 0
      ? { ...schemas, ok: false, detail: 'there are no schemas', fix: 'schemakit init' }
      : { ...schemas, ok: true, detail },
    ...(await checkSources(settings)),
    checkProject(settings),
    ...(await checkGroups(settings)),
  ];
}

/** Sources whose notes cannot be read can be used, and cannot be updated. */
async function checkSources({ places }: Settings): Promise<Check[]> {
  const listed = await listSources({ folder: places.home.schemas });
  const broken = listed.filter((source) => !source.status);
  return broken.map(({ name: source, finding }) => {
    return { level: 3, name: 'sources', path: finding.file ?? source, ...faultOf(finding) };
  });
}

function checkHome({ places, hasHome, findings }: Settings): Check {
  const { config } = places.home;
  const check = { level: 1, name: 'globalConfig', path: config };
  const broken = findings.find(({ file, severity }) => file === config && severity === 'error');
  if (broken) return { ...check, ...faultOf(broken) };
  if (!hasHome) return { ...check, ok: false, detail: 'schemakit is not set up', fix: 'schemakit init' };
  return { ...check, ok: true, detail: 'readable' };
}

function checkEnvFile(settings: Settings): Check {
  const files = envFiles(settings).filter((file) => existsSync(file));
  const [path = settings.places.home.env] = files;
  const check = { level: 2, name: 'envFile', path };
  const [finding] = readSecrets(settings, {}).findings;
  if (finding) return { ...check, path: finding.file ?? path, ...faultOf(finding) };
  const { envPath } = settings.home;
  if (envPath !== undefined && !existsSync(envFiles(settings)[0] ?? '')) {
    return { ...check, ok: false, detail: `envPath names ${envPath}, which is not there`, fix: 'Make that file.' };
  }
  // Secrets may all come from the environment.
  return { ...check, ok: true, detail: files.length === 0 ? 'there is none' : 'readable by its owner alone' };
}

function checkProject({ places, hasProject, mode, findings }: Settings): Check {
  const { config, folder } = places.project;
  const check = { level: 4, name: 'localConfig', path: config };
  const broken = findings.find(({ file, severity }) => file?.startsWith(folder) && severity === 'error');
  if (broken) return { ...check, ...(broken.file !== undefined && { path: broken.file }), ...faultOf(broken) };
  if (!hasProject) return { ...check, ok: false, detail: 'this folder is no project', fix: 'schemakit init' };
  return { ...check, ok: true, detail: `mode ${mode}` };
}

async function checkGroups(settings: Settings): Promise<Check[]> {
  const { groups, defaultGroup, hasProject } = settings;
  // What is wrong with the files of the project was said already.
  if (!hasProject || !checkProject(settings).ok) return [];
  const check = { level: 5, name: 'groups' };
  const chosen = groupOf(settings, undefined);
  if (!chosen.ok) {
    const [first] = groups.keys();
    const meant = nearestWord(defaultGroup ?? '', groups.keys()) ?? first;
    const fix = meant === undefined ? 'schemakit add <tool>' : `schemakit group set-default ${meant}`;
    return [{ ...check, ok: false, detail: chosen.finding.message, fix }];
  }
  const detail = `${counted(groups.size, 'group')}; ${chosen.name} is the default`;
  const { findings, schemas } = await loadGroup(chosen.group, settings);
  const [error] = findings.filter(({ severity }) => severity === 'error');
  const used = error === undefined ? { ...check, ok: true, detail } : { ...check, ...faultOf(error) };
  const needed = schemas.flatMap(({ main }) =>
    Array.isArray(main?.requiredServerParams) ? main.requiredServerParams : [],
  );
  const { values } = readSecrets(settings);
  const missing = [...new Set(needed.map(String))].filter((name) => values[name] === undefined);
  const secrets = { level: 2, name: 'envParams' };
  if (missing.length === 0)
    return [used, { ...secrets, ok: true, detail: `${counted(needed.length, 'secret')} needed, all set` }];
  const fix = `Add ${missing.map((name) => `${name}=…`).join(', ')} to ${envFiles(settings)[0]}`;
  return [used, { ...secrets, ok: false, detail: `missing: ${missing.join(', ')}`, fix }];
}

function faultOf({ message, hint, line, column }: Finding): Pick<Check, 'ok' | 'detail' | 'fix'> {
  const place = line === undefined ? '' : `line ${line}, column ${column ?? 1}: `;
  return { ok: false, detail: `${place}${message}`, ...(hint !== undefined && { fix: hint }) };
}

/** Checks as lines for a terminal. */
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
