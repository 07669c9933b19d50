import {
  createToolResolver,
  type ExposedTool,
  exposeSchemas,
  type Finding,
  hashForms,
  type LoadedAgent,
  loadAgent,
  verifyHash,
} from '@schemakit/core';
import { mainOf } from '@schemakit/core/internal';
import { readSkillTool } from '../run/built-in-tools.ts';
import { agentTexts, type Manifest, missing, type NameOf, type PartId, parseId } from './agent-texts.ts';
import { AgentConfigError, checkManifestSettings, limitFaults } from './check-config.ts';
import type { AgentConfig, AgentServerSettings, AgentToolConfig } from './config.ts';
import { configFinding } from './config-codes.ts';
import { objectSchema, toolName } from './config-rules.ts';
import { faultFindings, fieldFaults, within } from './faults.ts';
import { type OpenAgent, openAgent } from './open-agent.ts';
import { fromExposed, schemaTools } from './schema-tools.ts';
import { paramSecrets } from './source-secrets.ts';

/** Settings of `AgentToolsServer.fromManifest`: a manifest, and all settings of `create` but its tools. */
export interface ManifestSettings extends AgentServerSettings, ManifestSource {}

/** A manifest, and what belongs to it. */
export interface ManifestSource {
  /** The file of a manifest. */
  file?: string;
  /** A manifest in place of a file; paths in it start in the working directory. */
  manifest?: Readonly<Record<string, unknown>>;
  /** Schemas with the tools, prompts and resources that the manifest names by id. */
  schemas?: readonly object[];
  /** Values of server parameters. */
  serverParams?: Readonly<Record<string, string | undefined>>;
  /** Folder of shared lists. Default: the nearest `_lists` beside the manifest or in a parent folder. */
  listsDir?: string;
  /** Default `{ taskSupport: 'optional' }`. */
  execution?: { taskSupport: 'optional' | 'required' };
  /** Limits that a manifest does not have, such as `maxCost`, and others in place of its own. */
  agent?: Omit<Partial<AgentConfig>, 'systemPrompt'>;
}

export interface ManifestAgent {
  agent: OpenAgent;
  manifest: Manifest;
  /** Warnings. */
  findings: Finding[];
  /** Ids of tools, as the manifest names them, by their names in events. */
  toolIds: Record<string, string>;
}

/** Opens the agent of a manifest. Rejects with {@link AgentConfigError} with all errors. */
export async function openManifest(settings: ManifestSettings): Promise<ManifestAgent> {
  const faults = checkManifestSettings(settings);
  if (faults.length > 0) throw new AgentConfigError('AgentToolsServer.fromManifest', faults);
  const { file, manifest, schemas = [], listsDir, serverParams = {} } = settings;
  const source = file === undefined ? { manifest } : { filePath: file };
  const loaded = await loadAgent({ ...source, ...(listsDir !== undefined && { listsDir }) });
  const withFile = (finding: Finding): Finding => (file === undefined ? finding : { file: loaded.file, ...finding });
  const errors = loaded.findings.filter(({ severity }) => severity === 'error').map(withFile);
  if (loaded.agent === null) throw new AgentConfigError('AgentToolsServer.fromManifest', errors);
  const { agent } = loaded;
  const findings = loaded.findings.filter(({ severity }) => severity === 'warning');
  const parts = manifestTools({ ...loaded, agent }, { schemas, serverParams, findings });
  const allowed = allowedTools(parts.tools, settings.agent?.allowDestructive === true, findings);
  const texts = agentTexts({ ...loaded, agent }, { schemas, nameOf: createNameOf(parts) });
  findings.push(...texts.findings, ...checkHash(agent, parts.ids, schemas));
  const config = toolConfig(agent, texts.instructions, settings);
  const { name, inputSchema, agent: settled } = config;
  const checked = { name, inputSchema, answerSchema: settled.answerSchema };
  const rules = { name: toolName, inputSchema: objectSchema, answerSchema: objectSchema };
  const unusable = [...limitFaults({ ...settled }, settings), ...fieldFaults(checked, rules)];
  findings.push(...faultFindings(within('.agent', unusable)));
  const wrong = findings.filter(({ severity }) => severity === 'error');
  if (wrong.length > 0) throw new AgentConfigError('AgentToolsServer.fromManifest', wrong.map(withFile));
  const skills = Object.keys(texts.skills).length > 0 ? [readSkillTool(texts.skills)] : [];
  const tools = [...allowed.map((tool) => fromExposed(tool, tool.listing.name)), ...skills];
  const toolIds = Object.fromEntries([...parts.names].map(([id, name]) => [name, id]));
  return {
    agent: openAgent(config, settings, { tools, secrets: paramSecrets(allowed, serverParams) }),
    manifest: agent,
    findings: findings.map(withFile),
    toolIds,
  };
}

function toolConfig(
  { name, description, inputSchema = queryOnly, answerSchema, systemPrompt, model, maxRounds, maxTokens }: Manifest,
  instructions: string,
  { agent, execution = { taskSupport: 'optional' } }: ManifestSettings,
): AgentToolConfig {
  const given = { model, maxRounds, maxTokens, ...(answerSchema && { answerSchema }), ...agent };
  return {
    name,
    description,
    inputSchema,
    agent: { ...given, systemPrompt: systemPrompt + instructions },
    toolSources: [],
    execution,
  };
}

const queryOnly = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

interface ManifestTools {
  /** Its own tools and those it names, with their places in the manifest. */
  tools: Map<ExposedTool, string>;
  /** The model's names of tools, by their names in the manifest. */
  names: Map<string, string>;
  /** The tools of schemas, by id. */
  ids: Map<string, ExposedTool>;
  /** What names the tools of a schema or a resource in texts. */
  parts: [kind: 'tool' | 'resource', part: PartId, tool: ExposedTool][];
}

/** The tools and resources that a manifest names, and its own. */
function manifestTools(
  { agent, schemas: own }: Pick<LoadedAgent, 'schemas'> & { agent: Manifest },
  {
    schemas,
    serverParams,
    findings,
  }: Required<Pick<ManifestSettings, 'schemas' | 'serverParams'>> & { findings: Finding[] },
): ManifestTools {
  const exposed = schemaTools({ schemas: [...schemas, ...own], serverParams });
  const ownTools = exposed.slice(exposed.length - exposeSchemas(own).length);
  const external = exposed.slice(0, exposed.length - ownTools.length);
  const resolve = createToolResolver(external);
  const found: ManifestTools = { tools: new Map(), names: new Map(), ids: new Map(), parts: [] };
  for (const tool of ownTools) {
    const kind = tool.resource === undefined ? 'tool' : 'resource';
    const name = tool.resource?.resourceName ?? tool.toolName;
    found.tools.set(tool, `agent.${kind}s.${name}`);
    found.names.set(tool.toolName, tool.listing.name);
    found.parts.push([kind, { namespace: '', name }, tool]);
  }
  for (const [id, definition] of Object.entries(agent.tools)) {
    if (definition !== null) continue;
    const { outcome, tools, findings: problems } = resolve(id);
    const [tool] = tools;
    if (outcome !== 'match' || tool === undefined) {
      const near = problems.find(({ hint }) => hint?.startsWith('Did you mean'));
      const several = { why: 'several schemas have', hint: 'Pass only one of them in schemas.' };
      findings.push(missing('tools', id, outcome === 'ambiguous' ? several : near && { hint: near.hint }));
      continue;
    }
    found.tools.set(tool, `agent.tools.${id}`);
    found.names.set(id, tool.listing.name);
    found.ids.set(id, tool);
    found.parts.push(['tool', parseId(id), tool], ['tool', { namespace: tool.namespace, name: tool.toolName }, tool]);
  }
  for (const [id, definition] of Object.entries(agent.resources)) {
    if (definition !== null) continue;
    const part = parseId(id);
    const tools = external.filter(
      ({ namespace, resource }) => namespace === part.namespace && resource?.resourceName === part.name,
    );
    if (tools.length === 0) findings.push(missing('resources', id));
    for (const tool of tools) {
      found.tools.set(tool, `agent.resources.${id}`);
      found.parts.push(['resource', part, tool]);
    }
  }
  return found;
}

function createNameOf({ parts }: ManifestTools): NameOf {
  const keyOf = (kind: string, { namespace, name }: PartId) => JSON.stringify([kind, namespace, name]);
  const byKey = Map.groupBy(parts, ([kind, part]) => keyOf(kind, part));
  return (kind, part) => {
    const names = new Set(byKey.get(keyOf(kind, part))?.map(([, , tool]) => tool.listing.name));
    return names.size === 0 ? undefined : [...names].join(', ');
  };
}

function allowedTools(
  tools: ManifestTools['tools'],
  allowDestructive: boolean,
  findings: Finding[],
): readonly ExposedTool[] {
  return [...tools].flatMap(([tool, path]) => {
    const { name, annotations } = tool.listing;
    if (allowDestructive || annotations.destructiveHint !== true) return tool;
    const message = `${name} is left out, because it may destroy something`;
    findings.push(configFinding('AGS006', path, message, 'To allow it: agent: { allowDestructive: true }.'));
    return [];
  });
}

/** Compares the hash in the manifest with that of the tools. */
function checkHash({ hash }: Manifest, ids: ManifestTools['ids'], schemas: readonly unknown[]): Finding[] {
  if (hash === undefined) return [];
  const tools = [...ids].map(([id, { namespace, toolName }]) => {
    const main = schemas.map(mainOf).find((one) => Object(one).namespace === namespace && hasTool(one, toolName));
    return { id, ...hashForms({ tool: { main, name: toolName } }) };
  });
  const checks = (['canonical', 'plain'] as const).map((form) =>
    verifyHash({ agent: { tools: tools.map((tool) => ({ id: tool.id, hash: tool[form] ?? '' })) }, hash }),
  );
  if (checks.some(({ status }) => status)) return [];
  return (checks[0]?.findings ?? []).map((finding) => ({ ...finding, severity: 'warning', path: 'agent.hash' }));
}

function hasTool(main: unknown, name: string): boolean {
  const { tools, routes } = Object(main) as { tools?: object; routes?: object };
  return Object.hasOwn(tools ?? routes ?? {}, name);
}
