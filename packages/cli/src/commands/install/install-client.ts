import { constants, lstatSync, readFileSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { groupOf } from '../../groups/groups.ts';
import { type CommandResult, failed, failWith, usageError } from '../../output/command-result.ts';
import { ask, canAsk } from '../../output/confirm.ts';
import { printable, reasonOf } from '../../output/terminal-text.ts';
import { makeFolder } from '../../settings/make-folder.ts';
import { openSettings } from '../../settings/open-settings.ts';
import { type Client, type ClientName, clients } from './clients.ts';
import { type EditedSettings, editSettings, settingsText } from './edit-settings.ts';
import { serverEntry } from './server-entry.ts';

interface InstallFlags {
  print: boolean;
  yes: boolean;
  project: boolean;
  npx: boolean;
}

/** `schemakit install <client> [group]`: makes a client start `schemakit run` for this project. */
export async function install(flags: InstallFlags, clientName: ClientName, group?: string): Promise<CommandResult> {
  const opened = openSettings();
  if (!opened.ok) return opened.result;
  const { settings } = opened;
  const chosen = groupOf(settings, group);
  if (!chosen.ok) return failWith([chosen.finding]);
  const client = clients()[clientName];
  const { projectFile } = client;
  if (flags.project && projectFile === undefined) {
    return usageError(`${client.name} has no settings for projects.`, 'Leave out --project.');
  }
  const { root } = settings.paths.project;
  const file = flags.project && projectFile !== undefined ? join(root, projectFile) : client.file;
  const name = group === undefined ? 'schemakit' : `schemakit-${group}`;
  const entry = serverEntry(group === undefined ? [] : ['--group', group], {
    paths: settings.paths,
    npx: flags.npx,
    ...(client.hasType && { hasType: client.hasType }),
  });
  const config = settingsText(client, name, entry);
  const hint = /[\\/]_npx[\\/]/.test(entry.args[0] ?? '') ? npxHint : undefined;
  const shown = { client: clientName, name, group: chosen.name, file, entry, config, hint };
  if (flags.print) return { document: { status: true, ...shown }, text: () => config };
  if (!isAbsolute(file)) {
    const error = `The settings of ${client.name} would be in ${file}, which is not an absolute path.`;
    return usageError(error, 'Set HOME to your home folder, or add --print.');
  }
  try {
    const planned = editSettings(readText(file), { ...client, name, entry });
    if (!planned.ok) return notEdited(client, file, planned.problem);
    const { text, before } = planned;
    if (text === undefined) {
      return {
        document: { status: true, ...shown, action: 'unchanged' },
        text: () => `${client.name} already has ${name}: ${file}`,
      };
    }
    const question = before === undefined ? `Add ${name} to ${file}?` : `Replace ${name} in ${file}?`;
    if (!flags.yes && !canAsk()) {
      return usageError(
        'Nothing was written: cannot ask without a terminal.',
        'Add --yes, or --print to see the settings.',
      );
    }
    if (!flags.yes) {
      process.stderr.write(printable(changeText(config, before), { keepLines: true }));
      if (!(await ask(question))) return failed('other', { error: 'Nothing was written.', ...shown });
    }
    const { edited, backup } = await writeSettings(file, (current) =>
      editSettings(current, { ...client, name, entry }),
    );
    if (!edited.ok) return notEdited(client, file, edited.problem);
    const action = before === undefined ? 'added' : 'replaced';
    return {
      document: { status: true, ...shown, action, backup, replaced: before },
      text: () =>
        [
          action === 'added' ? `Added ${name} to ${file}` : `Replaced ${name} in ${file}`,
          ...(backup === null ? [] : [`Backup: ${backup}`]),
          ...(hint === undefined ? [] : [hint]),
          `Restart ${client.name}, or reload its MCP servers.`,
        ].join('\n'),
    };
  } catch (error) {
    return notEdited(client, file, reasonOf(error));
  }
}

const npxHint =
  'This command is in the cache of npx, which npm may empty. To be safe: npm install --global @schemakit/cli, or --npx.';

function readText(file: string): string {
  const info = statSync(file, { throwIfNoEntry: false });
  if (info === undefined) {
    // Writing would replace the link.
    if (lstatSync(file, { throwIfNoEntry: false })) throw new Error('it is a link to a file that does not exist');
    return '';
  }
  // Reading a pipe or a device could block.
  if (!info.isFile()) throw new Error('not a regular file');
  if (info.size > maxBytes) throw new Error(`${info.size} bytes exceed the limit of ${maxBytes}`);
  return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
}

const maxBytes = 16 * 1024 * 1024;

/** Edits the file under a lock, after a copy of it was made. */
async function writeSettings(
  file: string,
  edit: (text: string) => EditedSettings,
): Promise<{ edited: EditedSettings; backup: string | null }> {
  const { updateFile } = await import('@schemakit/core/internal');
  makeFolder(dirname(file));
  let edited: EditedSettings = { ok: true, text: undefined, before: undefined };
  let backup: string | null = null;
  await updateFile(
    file,
    async (current) => {
      const mark = current?.startsWith('\uFEFF') ? '\uFEFF' : '';
      edited = edit((current ?? '').slice(mark.length));
      if (!edited.ok || edited.text === undefined) return undefined;
      if (current !== undefined) {
        backup = `${file}.backup-${new Date().toISOString().replace(/\D/g, '')}`;
        await copyFile(file, backup, constants.COPYFILE_EXCL);
      }
      return mark + edited.text;
    },
    // Clients keep tokens in these files.
    { mode: 0o600 },
  );
  return { edited, backup };
}

function changeText(config: string, before: unknown): string {
  const old = before === undefined ? '' : `- ${JSON.stringify(before)}\n`;
  return `${old}${config.replace(/^(?=.)/gm, '+ ')}`;
}

function notEdited({ name }: Client, file: string, problem: string): CommandResult {
  const fix = 'Add --print, and put the settings there by hand.';
  return failed('other', { error: `The settings of ${name} cannot be changed: ${file}: ${problem}.`, fix });
}
