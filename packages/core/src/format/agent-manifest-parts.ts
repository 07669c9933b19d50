import { type AgentCode, agentFinding } from './agent-manifest-codes.ts';
import { isExternal } from './agent-manifest-tools.ts';
import { type AgentOwner, ownResourceSchema } from './agent-own-schemas.ts';
import { childPath, type Report } from './finding.ts';
import { isObject, type JsonObject } from './json.ts';
import { readSchema } from './read-schema.ts';
import { textField } from './rules/fields.ts';

interface Context {
  path: string;
  report: Report;
}

/** Reads `prompts` of an agent: `{ file }` under a name, null under the id of a prompt of a schema. */
export function readAgentPrompts(value: unknown, context: Context): Record<string, { file: string } | null> {
  return readParts('prompts', value, context, (part) => {
    if (part.key.includes('/')) return isExternal({ ...part, type: 'prompt' }, part) ? null : undefined;
    return readFile('AGT013', part);
  });
}

/** Reads `skills` of an agent: `{ file }` under a name. They are written for the agent's model, so none comes from elsewhere. */
export function readAgentSkills(value: unknown, context: Context): Record<string, { file: string }> {
  return readParts('skills', value, context, (part) => {
    if (!part.key.includes('/')) return readFile('AGT014', part);
    const hint = 'Skills are written for the model of one agent; copy the file.';
    part.report(agentFinding('AGT014', part.path, `the name of a skill has no slash (${part.path})`, { hint }));
    return undefined;
  });
}

/** Reads `resources` of an agent: a definition under a name, null under the id of a resource of a schema. */
export function readAgentResources(
  value: unknown,
  { owner, ...context }: Context & { owner: AgentOwner },
): Record<string, JsonObject | null> {
  const resources = readParts('resources', value, context, (part) => {
    if (part.key.includes('/')) return isExternal({ ...part, type: 'resource' }, part) ? null : undefined;
    if (isObject(part.value)) return part.value as JsonObject;
    part.report(agentFinding('AGT015', part.path, `a resource of the agent's own must be an object (${part.path})`));
    return undefined;
  });
  const own = ownResources(resources);
  if (Object.keys(own).length > 0) {
    const { main, asOfAgent } = ownResourceSchema(own, { owner, path: context.path });
    readSchema(main, (finding) => context.report(asOfAgent(finding)));
  }
  return resources;
}

/** The resources that an agent defines itself. */
export function ownResources(
  resources: Readonly<Record<string, JsonObject | null>>,
): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(resources).filter((entry): entry is [string, JsonObject] => entry[1] !== null),
  );
}

const codes = { prompts: 'AGT013', skills: 'AGT014', resources: 'AGT015' } as const;

interface Part extends Context {
  key: string;
  value: unknown;
}

/** Reads an object of parts one by one; those that `read` gives nothing for are left out. */
function readParts<T>(
  name: keyof typeof codes,
  value: unknown,
  { path, report }: Context,
  read: (part: Part) => T | undefined,
): Record<string, T> {
  if (value === undefined) return {};
  const place = `${path}.${name}`;
  const entries = Array.isArray(value) ? entriesOfArray(value) : isObject(value) && Object.entries(value);
  if (!entries) {
    report(agentFinding(codes[name], place, `${place} must be an object`, { hint: 'Write {} when there are none.' }));
    return {};
  }
  if (Array.isArray(value)) {
    const message = `${place} is an array; it is read`;
    report(agentFinding(codes[name], place, message, { hint: 'Write an object.', severity: 'warning' }));
  }
  const parts = entries.flatMap(([key, part]) => {
    const found = read({ key, value: part, path: childPath(place, key), report });
    return found === undefined ? [] : [[key, found] as const];
  });
  return Object.fromEntries(parts);
}

/** Older manifests have arrays: of objects with a name, or of ids. */
function entriesOfArray(items: readonly unknown[]): [string, unknown][] | undefined {
  const entries = [...items].map((item): [string, unknown] | undefined => {
    if (typeof item === 'string' && item.includes('/')) return [item, null];
    const name = isObject(item) ? textField(item, 'name') : undefined;
    return name === undefined ? undefined : [name, item];
  });
  return entries.every((entry) => entry !== undefined) ? entries : undefined;
}

function readFile(code: AgentCode, { key, value, path, report }: Part): { file: string } | undefined {
  const file = isObject(value) ? textField(value, 'file') : undefined;
  if (file !== undefined) return { file };
  report(agentFinding(code, path, `${key} must be { file } (${path})`, { hint: `Write { file: './${key}.mjs' }.` }));
  return undefined;
}
