import {
  createToolResolver,
  type ExposedTool,
  exposeSchemas,
  type Finding,
  type LoadedAgent,
  type LoadedSchema,
  loadAgent,
  loadSchemas,
} from '@schemakit/core';
import { missingSecrets } from '@schemakit/core/internal';
import { loadReferencedWithLock } from '../../groups/load-group.ts';
import { loadWithLock } from '../../groups/load-with-lock.ts';
import { isApproved, schemaRoots } from '../../groups/schema-roots.ts';
import { withIndex } from '../../index/open-index.ts';
import type { LoadedFiles } from '../../index/read-files.ts';
import { printFindings } from '../../output/print-findings.ts';
import { openSecrets } from '../../settings/open-settings.ts';
import { readSettings, type Settings } from '../../settings/read-settings.ts';
import { isOwn } from '../../sources/lock-files.ts';

export type Manifest = NonNullable<LoadedAgent['agent']>;

export interface AgentFlags {
  schema?: readonly string[];
  lock?: string;
  model?: string;
  allowDestructive: boolean;
  envFile?: string;
}

/** The flags of commands that run agents. */
export interface RunFlags extends AgentFlags {
  maxCost?: number;
  prices?: readonly number[];
  timeout?: number;
}

interface OpenOptions extends AgentFlags {
  /** Whether a terminal may ask about changed schemas and grants. Default: yes. */
  asks?: boolean;
}

/** An agent's file with the schemas that it names, and the secrets. */
export interface OpenedAgent {
  file: string;
  schemas: readonly LoadedSchema[];
  /** The secrets that its tools need, and no other values: all of them are masked for the model. */
  serverParams: Readonly<Record<string, string>>;
  /** Names of the secrets that its tools need. */
  secretNames: readonly string[];
  /** A warning for each of them without a value. */
  missing: readonly Finding[];
  /** The environment and the `.env` files, for the settings of the model. */
  environment: Readonly<Record<string, string>>;
  manifest: Manifest;
}

/** Finds the schemas that an agent names by id: in `--schema`, else in the user's schemas and sources. */
export async function openAgent(
  file: string,
  flags: OpenOptions,
): Promise<({ ok: true } & OpenedAgent) | { ok: false; findings: readonly Finding[] }> {
  const loaded = await loadAgent({ filePath: file });
  if (!loaded.status) return { ok: false, findings: loaded.findings };
  const settings = readSettings();
  const { agent } = loaded;
  const ids = [agent.tools, agent.prompts, agent.resources]
    .flatMap((part) => Object.entries(part))
    .flatMap(([id, definition]) => (definition === null ? [id] : []));
  const { schemas, findings, refused } =
    flags.schema === undefined ? await findSchemas(ids, settings, flags) : await readSchemas(flags.schema, flags);
  if (refused.length > 0) return { ok: false, findings: refused };
  printFindings(findings.filter(({ severity }) => severity === 'error'));
  const usable = schemas.filter(({ status }) => status);
  const environment = openSecrets(settings, flags);
  const tools = [...namedTools(agent, usable), ...exposeSchemas(loaded.schemas)];
  const secretNames = [...new Set(tools.flatMap(({ requiredServerParams }) => requiredServerParams))];
  return {
    ok: true,
    file,
    manifest: agent,
    schemas: usable,
    serverParams: Object.fromEntries(
      secretNames.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
    ),
    secretNames,
    missing: missingSecrets(tools, environment),
    environment,
  };
}

/** The tools of schemas that a manifest names, and those of resources that it names. */
function namedTools({ tools, resources }: Manifest, schemas: readonly LoadedSchema[]): ExposedTool[] {
  const exposed = exposeSchemas(schemas);
  const resolve = createToolResolver(exposed);
  const named = new Set(Object.keys(tools).flatMap((id) => resolve(id).tools));
  const isOfResource = ({ resource, namespace }: ExposedTool) =>
    resource !== undefined && Object.keys(resources).some((id) => id.startsWith(`${namespace}/`));
  return exposed.filter((tool) => named.has(tool) || isOfResource(tool));
}

async function readSchemas(paths: readonly string[], { lock, asks }: OpenOptions): Promise<LoadedFiles> {
  const { loaded, refused } = await loadWithLock({ paths, named: lock, asks }, (options) =>
    loadSchemas({ paths: [...paths], approves: isOwn, ...options }),
  );
  return { schemas: loaded.schemas, findings: loaded.findings, refused };
}

/** The files of what the ids name. Unknown ids are reported with the manifest. */
async function findSchemas(
  ids: readonly string[],
  settings: Settings,
  { lock, asks }: OpenOptions,
): Promise<LoadedFiles> {
  const roots = schemaRoots(settings);
  const found = await withIndex(settings, async (index) => {
    const resolved = await Promise.all(ids.map((id) => index.find(id)));
    return resolved.flatMap(({ tools }) => tools);
  });
  const files = found.map(({ file, path, source }) => ({
    reference: file,
    file: path,
    approved: isApproved(roots, { source, path }),
  }));
  const unique = new Map(files.map((entry) => [entry.file, entry]));
  return loadReferencedWithLock([...unique.values()], { lock, ...(asks !== undefined && { asks }) });
}
