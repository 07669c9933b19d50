import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandResult, failed, usageError } from '../../output/command-result.ts';
import { reasonOf } from '../../output/terminal-text.ts';
import { loadAgentServer } from './create-agent.ts';

const install = 'npm install @schemakit/agent-server';
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
    await writeFile(file, text.replace("name: 'gardener'", `name: '${name}'`));
    const recorded = join(template, 'recordings', 'gardener');
    const recordings = join(folder, 'recordings', name);
    await mkdir(recordings, { recursive: true });
    for (const test of await readdir(recorded)) {
      const recording = await readFile(join(recorded, test), 'utf8');
      await writeFile(join(recordings, test), recording.replace('"agent": "gardener"', `"agent": "${name}"`));
    }
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
  const { ok: isInstalled } = await loadAgentServer();
  const replay = `schemakit agent test ${file} --replay`;
  const validate = `schemakit agent validate ${file}`;
  const record = `schemakit agent test ${file} --record`;
  const text = () => `Created ${file}.${isInstalled ? '' : `\nAgents need a package of their own:\n    ${install}`}
Run its tests from their recordings, offline and without a key:
    ${replay}
They are about the demo API. Put tools and tests of your own into it, with their schemas in schemas/ (or --schema <path>), and check it:
    ${validate}
Then add LLM_BASE_URL, LLM_API_KEY and the secrets of your tools to .env, and record its tests with a model:
    ${record}
`;
  const next = [...(isInstalled ? [] : [install]), replay, validate, record];
  return { document: { status: true, agent: name, file, next }, text };
}
