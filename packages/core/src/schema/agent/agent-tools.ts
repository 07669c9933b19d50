import { childPath, type Finding } from '../finding.ts';
import { type Fields, isObject, type JsonObject } from '../json.ts';
import { parseSchema } from '../parse-schema.ts';
import { type PartType, parseReference } from '../references/parse-reference.ts';
import type { Place } from '../rule-report.ts';
import { textArray, textField } from '../rules/fields.ts';

/** Parses `tools` of an agent: null for an id, a definition for a name without a slash. Older manifests have an array of ids. */
export function parseAgentTools(
  value: Fields,
  { owner, ...context }: Place & { owner: AgentOwner },
): Record<string, JsonObject | null> {
  const place = `${context.path}.tools`;
  const entries = toolEntries(value.tools, { path: place, report: context.report });
  if (entries === undefined || entries.length === 0) {
    const message =
      value.tools === undefined ? `${place} is required` : `${place} must be an object with at least one tool`;
    context.report('AGT006', place, message, "Write tools: { 'coingecko/tool/getSimplePrice': null }.");
    return {};
  }
  const read = entries.flatMap(([key, value]) => {
    const path = childPath(place, key);
    const tool = key.includes('/')
      ? parseExternal({ key, value, type: 'tool' }, { path, report: context.report })
      : parseInlineTool(key, value, { ...context, owner });
    return tool === undefined ? [] : [[key, tool] as const];
  });
  const tools = Object.fromEntries(read);
  reportSameTools(Object.keys(tools), { ...context, path: place });
  return tools;
}

/** `abc/getX` is short for `abc/tool/getX`. */
function reportSameTools(keys: readonly string[], { path, report }: Place): void {
  const known = new Map<string, string>();
  for (const key of keys) {
    const { reference } = key.includes('/') ? parseReference(key) : {};
    if (reference?.form !== 'id') continue;
    const { namespace, file, name } = reference;
    const tool = JSON.stringify([namespace, file, name]);
    const first = known.get(tool);
    if (first === undefined) known.set(tool, key);
    else {
      const place = childPath(path, key);
      const message = `${JSON.stringify(key)} and ${JSON.stringify(first)} name the same tool (${place})`;
      report('AGT032', place, message, 'Leave one of them out.');
    }
  }
}

function toolEntries(value: unknown, { path, report }: Place): [string, unknown][] | undefined {
  if (!Array.isArray(value)) return isObject(value) ? Object.entries(value) : undefined;
  const ids = textArray(value);
  if (ids === undefined || ids.length === 0) return undefined;
  const hint = "Write each of them as a key: { 'coingecko/tool/getSimplePrice': null }.";
  report('AGT006', path, `${path} should be an object; the array of ids is accepted`, { hint, severity: 'warning' });
  return ids.map((id) => [id, null]);
}

/** Parses a part that a schema defines: its key is an id of the right type, its value is null. */
export function parseExternal(
  { key, value, type }: { key: string; value: unknown; type: PartType },
  { path, report }: Place,
): null | undefined {
  const { reference, findings } = parseReference(key, { path });
  if (reference?.form !== 'id') {
    const reason =
      findings.find(({ severity }) => severity === 'error')?.message ?? `${JSON.stringify(key)} is not an id`;
    return report('AGT007', path, `${reason} (${path})`, `Write <namespace>/${type}/<name>.`);
  }
  if (reference.type !== undefined && reference.type !== type) {
    return report('AGT007', path, `${JSON.stringify(key)} is the id of a ${reference.type}, not of a ${type}`);
  }
  if (value !== null) {
    const hint = 'Write null, or give it a name without a slash.';
    return report('AGT020', path, `the value of an id must be null (${path})`, hint);
  }
  for (const finding of findings) report(finding);
  return null;
}

function parseInlineTool(
  name: string,
  value: unknown,
  { path: agent, owner, report }: Place & { owner: AgentOwner },
): JsonObject | undefined {
  const path = childPath(`${agent}.tools`, name);
  const missing = isObject(value)
    ? ['method', 'path', 'description'].filter((key) => textField(value, key) === undefined)
    : [];
  if (!isObject(value) || missing.length > 0) {
    const message = isObject(value)
      ? `an inline tool needs ${missing.join(', ')} (${path})`
      : `a key without a slash needs a tool definition (${path})`;
    return report('AGT019', path, message, `For a tool of a schema, write <namespace>/tool/${name} as the key.`);
  }
  if (!hasOwnRoot(value)) {
    const hint = "Write root: 'https://api.example.com', or a complete URL as path.";
    report('AGT030', path, `an inline tool has no root, so it cannot be called (${path})`, hint);
  }
  const { main, toAgentFinding } = ownToolSchema(name, value as JsonObject, { owner, path: agent });
  const schema = parseSchema(main, (finding) => report(toAgentFinding(finding)));
  return schema && (value as JsonObject);
}

/** The agent whose inline tools and resources become schemas. */
export interface AgentOwner {
  name: string;
  description: string;
  requiredServerParams: readonly string[];
  sharedLists: readonly string[];
}

/** A schema made from inline parts of an agent, so that they are checked and called like any other. */
export interface OwnSchema {
  main: Fields;
  /** Rewrites a finding about `main` as a finding about the manifest. */
  toAgentFinding(finding: Finding): Finding;
}

/**
 * The schema of one inline tool. Besides the fields of a tool it has `root` and optional `headers`; a `path` that is a
 * complete URL needs no root. Without a root the tool cannot be called.
 */
export function ownToolSchema(
  name: string,
  definition: JsonObject,
  { owner, path }: { owner: AgentOwner; path: string },
): OwnSchema {
  const { root, headers = {}, ...tool } = definition;
  const place = childPath(`${path}.tools`, name);
  const url = splitUrl(tool.path);
  const main = {
    ...identityOf(owner),
    root: url?.root ?? (hasOwnRoot(definition) ? root : 'local://agent'),
    headers,
    sharedLists: owner.sharedLists,
    tools: { [name]: url ? { ...tool, path: url.path } : tool },
  };
  const rootPlace = url ? `${place}.path` : `${place}.root`;
  return { main, toAgentFinding: renaming({ root: rootPlace, headers: `${place}.headers` }, path) };
}

export function ownResourceSchema(
  resources: Readonly<Record<string, JsonObject>>,
  { owner, path }: { owner: AgentOwner; path: string },
): OwnSchema {
  const main = { ...identityOf(owner), root: 'local://agent', headers: {}, tools: {}, resources };
  return { main, toAgentFinding: renaming({}, path) };
}

/** Whether an inline tool has a URL to send requests to. */
export function hasOwnRoot(definition: Readonly<Fields>): boolean {
  return textField(definition, 'root') !== undefined || splitUrl(definition.path) !== undefined;
}

function identityOf({ name, description, requiredServerParams }: AgentOwner): Fields {
  return {
    namespace: name.toLowerCase().replace(/[^a-z]/g, '') || 'agent',
    name: name || 'agent',
    description: description || 'An agent',
    version: '3.0.0',
    docs: [],
    requiredServerParams,
    requiredLibraries: [],
  };
}

/** Splits a path that is a complete URL after its host. */
function splitUrl(path: unknown): { root: string; path: string } | undefined {
  const [, root, rest = ''] = (typeof path === 'string' && /^\s*(https?:\/\/[^/?#]+)(.*)$/is.exec(path)) || [];
  return root === undefined ? undefined : { root, path: rest.startsWith('/') ? rest : `/${rest}` };
}

function renaming(places: Readonly<Record<string, string>>, path: string): OwnSchema['toAgentFinding'] {
  const rename = (text: string) =>
    text.replace(
      /\bmain\.(\w+)/g,
      (_, field: string) => (Object.hasOwn(places, field) ? places[field] : undefined) ?? `${path}.${field}`,
    );
  return (finding) => ({
    ...finding,
    path: rename(finding.path),
    message: rename(finding.message),
    ...(finding.hint !== undefined && { hint: rename(finding.hint) }),
  });
}
