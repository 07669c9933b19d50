import { choose, type Question } from '../output/confirm.ts';
import { refusedByMode } from '../run-command.ts';
import { registryAddress } from '../sources/source-address.ts';
import { isGroupName, type Mode } from './config.ts';
import type { Settings } from './read-settings.ts';

export interface InitFlags {
  yes: boolean;
  import: boolean;
  group?: string;
  registry?: string;
}

/** What to set up. */
export interface Plan {
  makesProject: boolean;
  group: string;
  mode: Mode;
  copies: boolean;
  registry: string | undefined;
}

/** Asks for what neither the flags nor the settings say. */
export async function askForPlan(question: Question, flags: InitFlags, settings: Settings): Promise<Plan> {
  process.stderr.write(
    'Enter takes the answer in brackets or in capitals. Nothing is written before the last answer.\n',
  );
  const yesOrNo = async (text: string) => (await choose(question, `${text} [Y/n]`, ['yes', 'no'])) === 'yes';
  const { root } = settings.paths.project;
  const makesProject = settings.hasProject || (await yesOrNo(`Make ${root} a project?`));
  const asksGroup = makesProject && flags.group === undefined && settings.groups.size === 0;
  const group = asksGroup ? await askForGroup(question) : (flags.group ?? 'default');
  const who = 'Who works here, you (dev: all commands) or an AI agent (agent: no commands that change schemas)? [dev]';
  const asksMode = makesProject && settings.mode === null;
  const mode = asksMode ? await choose(question, who, ['dev', 'agent']) : 'agent';
  const asksSchemas = flags.import && flags.registry === undefined;
  const copies = asksSchemas && (await yesOrNo('Install the built-in catalog of schemas?'));
  const asksRegistry = asksSchemas && refusedByMode('import-registry') === undefined;
  const registry = asksRegistry ? await askForRegistry(question) : flags.registry;
  return { makesProject, group, mode, copies, registry };
}

async function askForGroup(question: Question): Promise<string> {
  const name = (await question('Name of its default group of tools: [default]')) || 'default';
  if (isGroupName(name)) return name;
  process.stderr.write('Use letters, digits, ".", "_" and "-", beginning with a letter or digit.\n');
  return askForGroup(question);
}

async function askForRegistry(question: Question): Promise<string | undefined> {
  const url = await question('URL of a registry to import, too: [none]');
  if (url === '' || url === 'none') return undefined;
  const parsed = registryAddress(url);
  if (parsed.ok) return url;
  process.stderr.write(`${parsed.finding.message}\n`);
  return askForRegistry(question);
}
