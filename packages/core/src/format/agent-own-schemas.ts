import { childPath, type Finding } from './finding.ts';
import type { JsonObject } from './json.ts';
import { textField } from './rules/fields.ts';

/** The agent whose own tools and resources become schemas. */
export interface AgentOwner {
  name: string;
  description: string;
  requiredServerParams: readonly string[];
  sharedLists: readonly string[];
}

/** A schema made from what an agent defines itself, so that it is checked and called as any other. */
export interface OwnSchema {
  main: Record<string, unknown>;
  /** Says of the manifest what a check said of `main`. */
  asOfAgent(finding: Finding): Finding;
}

/**
 * The schema of one inline tool. Beside the fields of tools it has `root`, the base URL, and may have `headers`; a `path` that
 * is a whole URL needs no root. Without either, `root` is local and the tool cannot be called.
 *
 * @param path Name of the manifest in findings.
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
  return { main, asOfAgent: renaming({ root: rootPlace, headers: `${place}.headers` }, path) };
}

/** The schema of the resources that an agent defines itself. */
export function ownResourceSchema(
  resources: Readonly<Record<string, JsonObject>>,
  { owner, path }: { owner: AgentOwner; path: string },
): OwnSchema {
  const main = { ...identityOf(owner), root: 'local://agent', headers: {}, tools: {}, resources };
  return { main, asOfAgent: renaming({}, path) };
}

/** Whether requests of an inline tool have an address. */
export function hasOwnRoot(definition: Readonly<Record<string, unknown>>): boolean {
  return textField(definition, 'root') !== undefined || splitUrl(definition.path) !== undefined;
}

function identityOf({ name, description, requiredServerParams }: AgentOwner): Record<string, unknown> {
  return {
    namespace: name.toLowerCase().replace(/[^a-z]/g, '') || 'agent',
    name: name || 'agent',
    description: description || 'An agent',
    version: '3.0.0',
    requiredServerParams,
    requiredLibraries: [],
  };
}

/** Cuts a path that is a whole URL behind its host. */
function splitUrl(path: unknown): { root: string; path: string } | undefined {
  const [, root, rest = ''] = (typeof path === 'string' && /^\s*(https?:\/\/[^/?#]+)(.*)$/is.exec(path)) || [];
  return root === undefined ? undefined : { root, path: rest.startsWith('/') ? rest : `/${rest}` };
}

function renaming(places: Readonly<Record<string, string>>, path: string): OwnSchema['asOfAgent'] {
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
