import { groupOf } from '../../groups/groups.ts';
import { loadGroup } from '../../groups/load-group.ts';
import { openSettings } from '../../open-settings.ts';
import { type CommandResult, failedOver } from '../../output/command-result.ts';
import { printFindings } from '../../print-findings.ts';
import { readTestOptions, type TestFlags } from '../../testing/test-options.ts';
import { testSchemas } from '../../testing/test-schemas.ts';

/** `schemakit test project`: the tests of the tools of a group. */
export async function testProject(flags: TestFlags & { group?: string }): Promise<CommandResult> {
  const read = readTestOptions(flags);
  if (!read.ok) return read.result;
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const chosen = groupOf(settings, flags.group);
  if (!chosen.ok) return failedOver([chosen.finding]);
  const { schemas, tools, findings, refused } = await loadGroup(chosen.group, settings, { lock: flags.lock });
  if (refused.length > 0) return failedOver(refused);
  printFindings(findings.filter(({ severity }) => severity === 'error'));
  const sources = new Map(tools.map(({ schema, file }) => [schema.file, file.split('/', 1)[0]]));
  const sourceOf = (file: string) => sources.get(file);
  const subject = {
    schemas,
    routes: tools.map(({ schema, exposed }) => ({ schema, exposed, source: sourceOf(schema.file) })),
    lost: findings.filter(({ code }) => code === 'SET009'),
    sourceOf,
    skipsWithoutSecrets: false,
  };
  return testSchemas(subject, read.options, settings);
}
