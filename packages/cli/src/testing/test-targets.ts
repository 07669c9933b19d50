import { statSync } from 'node:fs';
import { loadSchemas } from '@schemakit/core';
import { isOtherModule } from '@schemakit/core/internal';
import { openGroup } from '../groups/groups.ts';
import { loadGroup, loadReferencedWithLock } from '../groups/load-group.ts';
import { loadWithLock } from '../groups/load-with-lock.ts';
import { allReferenced, builtinCatalog, schemaRoots } from '../groups/schema-roots.ts';
import { type CommandResult, failed, failWith } from '../output/command-result.ts';
import { printErrors } from '../output/print-findings.ts';
import { openEnvironment } from '../settings/environment.ts';
import { openSettings } from '../settings/open-settings.ts';
import { readSettings, type Settings } from '../settings/read-settings.ts';
import { importedFrom, isOwn } from '../sources/lock-files.ts';
import type { TestTarget } from './select-tests.ts';
import { routesOf } from './test-case.ts';
import { readTestOptions, type TestFlags } from './test-options.ts';
import { testSchemas } from './test-schemas.ts';

export function testProject(flags: TestFlags & { group?: string }): Promise<CommandResult> {
  return testFound(flags, async () => {
    const chosen = openGroup(flags.group);
    if (!chosen.ok) return chosen.result;
    const { settings } = chosen;
    const found = await openEnvironment(flags, settings);
    if (!found.ok) return found.result;
    const { environment } = found;
    const options = { lock: flags.lock, environment };
    const { schemas, tools, findings, refused } = await loadGroup(chosen.group, settings, options);
    if (refused.length > 0) return failWith(refused);
    printErrors(findings);
    const sources = new Map(tools.map(({ schema, file }) => [schema.file, file.split('/', 1)[0]]));
    const sourceOf = (file: string) => sources.get(file);
    const routes = tools.map(({ schema, exposed }) => ({ schema, exposed, source: sourceOf(schema.file) }));
    const dangling = findings.filter(({ code }) => code === 'SET009');
    return { schemas, routes, dangling, sourceOf, environment, skipsWithoutSecrets: false, settings };
  });
}

/** `schemakit test user`: tests the user's own schemas, not imported ones or the catalog. */
export function testUser(flags: TestFlags): Promise<CommandResult> {
  return testFound(flags, async () => {
    const opened = openSettings();
    if (!opened.ok) return opened.result;
    const { settings } = opened;
    const { sources } = settings.home;
    const own = schemaRoots(settings).filter(
      ({ source, folder, approved }) =>
        approved && folder !== builtinCatalog.folder && sources.get(source)?.type !== 'builtin',
    );
    const files = await allReferenced(own);
    const found = await openEnvironment(flags, settings);
    if (!found.ok) return found.result;
    const { environment } = found;
    const options = { lock: flags.lock, environment };
    const { refused, ...loaded } = await loadReferencedWithLock(files, options);
    if (refused.length > 0) return failWith(refused);
    const schemas = loaded.schemas.filter((schema) => !isOtherModule(schema));
    if (schemas.length === 0) return noneOfOwn(settings);
    printErrors(schemas.flatMap(({ findings }) => findings));
    const references = new Map(files.map(({ file, reference }) => [file, reference.split('/', 1)[0]]));
    const sourceOf = (file: string) => references.get(file);
    return {
      schemas,
      routes: routesOf(schemas, sourceOf),
      dangling: [],
      sourceOf,
      environment,
      skipsWithoutSecrets: true,
      settings,
    };
  });
}

function noneOfOwn({ paths: { project, home } }: Settings): CommandResult {
  const fix = `Put them in ${project.root}/schemas, or in a folder below ${home.schemas}.`;
  return failed('notFound', { error: 'You have no schemas of your own.', fix });
}

/** `schemakit test single <path>`: tests a file or all files of a folder. Needs no settings. */
export function testSingle(flags: TestFlags, path: string): Promise<CommandResult> {
  return testFound(flags, async () => {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) {
      return failed('notFound', { error: `No file ${path}.`, fix: 'Check the path.' });
    }
    const settings = readSettings();
    const found = await openEnvironment(flags, settings);
    if (!found.ok) return found.result;
    const { environment } = found;
    const roots = environment && { roots: environment.roots };
    const place = { paths: [path], named: flags.lock, imported: importedFrom(path)?.lockFile };
    const { loaded, refused } = await loadWithLock(place, (options) =>
      loadSchemas({ paths: [path], approves: isOwn, ...roots, ...options }),
    );
    if (refused.length > 0) return failWith(refused);
    const { schemas, findings } = loaded;
    printErrors(findings);
    if (schemas.length === 0) return failWith(findings);
    return { schemas, routes: routesOf(schemas), dangling: [], environment, skipsWithoutSecrets: false, settings };
  });
}

async function testFound(
  flags: TestFlags,
  find: () => Promise<(TestTarget & { settings: Settings }) | CommandResult>,
): Promise<CommandResult> {
  const read = readTestOptions(flags);
  if (!read.ok) return read.result;
  const found = await find();
  return 'document' in found ? found : testSchemas(found, read.options, found.settings);
}
