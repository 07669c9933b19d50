import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import { reasonOf } from '../../output/terminal-text.ts';

const template = fileURLToPath(new URL('./catalog/agents/gardener/', import.meta.url));

/** `schemakit agent init`: a copy of the agent in the catalog, with its recordings, so that its tests pass offline. */
export async function initAgent(_flags: object, name: string): Promise<CommandResult> {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) {
    return usageError(
      `"${name}" cannot be the name of an agent.`,
      'Use lowercase letters, digits and hyphens, such as trip-planner.',
    );
  }
  const folder = join('agents', name);
  const file = join(folder, 'agent.mjs');
  try {
    await mkdir('agents', { recursive: true });
    await mkdir(folder);
    const text = await readFile(join(template, 'agent.mjs'), 'utf8');
    await cp(join(template, 'recordings'), join(folder, 'recordings'), { recursive: true });
    await writeFile(file, text.replace("name: 'gardener'", `name: '${name}'`));
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && path === folder)
      return failed('usage', { error: `${folder} exists already.`, fix: 'Choose another name.' });
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    return failed('other', {
      error: `Cannot write ${folder}: ${reasonOf(error)}`,
      fix: 'Check the folder and its permissions.',
    });
  }
  const next = [`schemakit agent test ${file} --replay`, `schemakit agent validate ${file}`];
  const text = () => `Created ${file}. Run its tests from their recordings, offline and without a key:
    ${next[0]}
Put your own tools and tests into it, and check it:
    ${next[1]}
Then record its tests with a model: add LLM_BASE_URL and LLM_API_KEY to .env, and use --record in place of --replay.
`;
  return { document: { status: true, agent: name, file, next }, text };
}
