import type { Finding, LoadedSchema } from '@schemakit/core';
import { type CommandResult, failed, failWith, type Step } from '../output/command-result.ts';
import { ask, canAsk } from '../output/confirm.ts';
import { didYouMean, nearestWord } from '../output/nearest-word.ts';
import { printable } from '../output/terminal-text.ts';
import { accept, unaccepted } from './accepted.ts';
import type { Settings } from './read-settings.ts';
import { endsCommands } from './settings-codes.ts';

/** `--env` and `--yes`. */
export interface EnvironmentFlags {
  env?: string;
  yes: boolean;
}

/** Roots that replace those of the schemas; see docs/testing.md, "Environments". */
export interface Environment {
  name: string;
  /** By namespace. */
  roots: Readonly<Record<string, string>>;
}

/** Finds an environment in the settings of the project. Requests go to its roots, so the user must have accepted them. */
export async function openEnvironment(
  { env: name, yes }: EnvironmentFlags,
  { paths, project: { environments }, findings }: Settings,
): Promise<Step<{ environment?: Environment }>> {
  if (name === undefined) return { ok: true };
  const ofThis = ({ code, path }: Finding) => code === 'SET011' && path.startsWith(`environments.${name}.roots.`);
  const broken = findings.filter((found) => endsCommands(found) || ofThis(found));
  if (broken.length > 0) return { ok: false, result: failWith(broken) };
  const roots = environments.get(name);
  if (roots === undefined) return { ok: false, result: unknownEnvironment(name, [...environments.keys()]) };
  const part = { file: paths.project.config, part: `environments.${name}.roots`, contents: roots };
  if (unaccepted([part], paths).length === 0) return { ok: true, environment: { name, roots } };
  const lines = Object.entries(roots).map(([namespace, url]) => `${namespace}: ${url}`);
  if (!yes && !(await isAllowed(name, lines))) {
    const error = `You have not accepted the roots of the environment ${name}. Nothing was sent.`;
    const fix = 'If requests and secrets may go there, run it again with --yes.';
    return { ok: false, result: failed('missingSecret', { error, messages: [error, ...lines], fix }) };
  }
  const accepted = await accept([part], paths);
  if (accepted.ok) return { ok: true, environment: { name, roots } };
  const { message, hint } = accepted.finding;
  return { ok: false, result: failed('other', { error: message, fix: hint }) };
}

async function isAllowed(name: string, lines: readonly string[]): Promise<boolean> {
  if (!canAsk()) return false;
  process.stderr.write(`The environment ${name} sends requests, with their secrets, to other roots:\n`);
  process.stderr.write(lines.map((line) => `    ${printable(line)}\n`).join(''));
  return ask('Accept these roots?');
}

function unknownEnvironment(name: string, known: readonly string[]): CommandResult {
  const none =
    'Add it to .schemakit/config.json: "environments": { "<name>": { "roots": { "<namespace>": "<url>" } } }';
  const all = known.length === 0 ? none : `Environments: ${known.join(', ')}.`;
  return failed('notFound', { error: `No environment ${name}.`, fix: didYouMean(name, known, all) });
}

/** The error if an environment says nothing about the schemas that are used: requests would go to their usual roots. */
export function environmentProblem(
  environment: Environment | undefined,
  used: Iterable<string>,
): CommandResult | undefined {
  if (environment === undefined) return undefined;
  const { name, roots } = environment;
  const namespaces = [...new Set(used)];
  for (const namespace of Object.keys(roots)) {
    const meant = namespaces.includes(namespace) ? undefined : nearestWord(namespace, namespaces);
    if (meant === undefined || Object.hasOwn(roots, meant)) continue;
    const error = `The environment ${name} has a root for ${namespace}, but no schema here has this namespace.`;
    return failed('notFound', { error, fix: `Did you mean ${meant}?` });
  }
  if (namespaces.length === 0 || namespaces.some((namespace) => Object.hasOwn(roots, namespace))) return undefined;
  const error = `The environment ${name} has no root for ${namespaces.join(', ')}.`;
  return failed('notFound', { error, fix: `Add it to environments.${name}.roots, or leave out --env.` });
}

/** Names the environment in the command that a missing grant advises: without it, the secret would be granted to the usual root. */
export function inEnvironment(finding: Finding, { env }: Pick<EnvironmentFlags, 'env'>): Finding {
  if (env === undefined || finding.code !== 'SEND_NOT_GRANTED' || finding.hint === undefined) return finding;
  return { ...finding, hint: finding.hint.replace(' --send ', ` --env ${env} --send `) };
}

export function namespacesOf(schemas: readonly LoadedSchema[]): string[] {
  return schemas.flatMap(({ status, main }) => (status && main !== null ? String(main.namespace) : []));
}
