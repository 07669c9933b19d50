import { access, constants } from 'node:fs/promises';
import { type CommandResult, failed } from '../../output/command-result.ts';
import { reasonOf } from '../../output/terminal-text.ts';
import { makeFolder } from '../../settings/make-folder.ts';

/** Shorter secrets occur in responses by chance, so they cannot be masked reliably. */
const shortestSecret = 6;

/** What is found out before requests are sent that could not be recorded: a secret too short to mask, or a folder. */
export async function recordingProblem(
  folder: string,
  { names, serverParams }: { names: readonly string[]; serverParams: Readonly<Record<string, string>> },
): Promise<CommandResult | undefined> {
  const short = names.find((name) => {
    const { length } = serverParams[name]?.trim() ?? '';
    return length > 0 && length < shortestSecret;
  });
  if (short !== undefined) {
    const fix = 'Record with a longer secret.';
    const error = `${short} is too short to be masked reliably: it has fewer than ${shortestSecret} characters.`;
    return failed('usage', { error, fix });
  }
  try {
    makeFolder(folder);
    await access(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const fix = 'Check the path and its permissions. Nothing was sent.';
    return failed('other', { error: `Cannot write recordings to ${folder}: ${reasonOf(error)}`, fix });
  }
}
