import { loadReferencedWithLock } from '../../groups/load-group.ts';
import { allReferenced, schemaRoots } from '../../groups/schema-roots.ts';
import { openSettings } from '../../open-settings.ts';
import { type CommandResult, failed, failedOver } from '../../output/command-result.ts';
import { printFindings } from '../../print-findings.ts';
import { routesOf } from '../../testing/test-case.ts';
import { readTestOptions, type TestFlags } from '../../testing/test-options.ts';
import { testSchemas } from '../../testing/test-schemas.ts';

/** `schemakit test user`: the tests of all schemas that the user made; what was imported, and the catalog, is of others. */
export async function testUser(flags: TestFlags): Promise<CommandResult> {
  const read = readTestOptions(flags);
  if (!read.ok) return read.result;
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const { sources } = settings.home;
  const own = schemaRoots(settings).filter(
    ({ source, approved }) => approved && sources.get(source)?.type !== 'builtin',
  );
  const files = await allReferenced(own);
  if (files.length === 0) {
    const { project, home } = settings.places;
    return failed('notFound', {
      error: 'There are no schemas of your own.',
      fix: `Put them in ${project.root}/schemas, or in a folder below ${home.schemas}.`,
    });
  }
  const { schemas, findings, refused } = await loadReferencedWithLock(files, { lock: flags.lock });
  if (refused.length > 0) return failedOver(refused);
  printFindings(findings.filter(({ severity }) => severity === 'error'));
  const references = new Map(files.map(({ file, reference }) => [file, reference.split('/', 1)[0]]));
  const sourceOf = (file: string) => references.get(file);
  const subject = { schemas, routes: routesOf(schemas, sourceOf), lost: [], sourceOf, skipsWithoutSecrets: true };
  return testSchemas(subject, read.options, settings);
}
