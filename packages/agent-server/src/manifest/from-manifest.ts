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
import { fromExposed, isDestructive, schemaTools } from './schema-tools.ts';
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
  /** Of its tasks, 0 to 9: workers take higher ones first. Default 0. */
  priority?: number;
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
  const named = namedTools({ ...loaded, agent }, { schemas, serverParams, findings });
  const allowed = allowedTools(named, settings.agent?.allowDestructive === true, findings);
  const texts = agentTexts({ ...loaded, agent }, { schemas, nameOf: createNameOf(named) });
  findings.push(...texts.findings, ...checkHash(agent, named, schemas));
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
  const toolIds = named.flatMap(({ tool, id }) => (id === undefined ? [] : [[tool.listing.name, id] as const]));
  return {
    agent: openAgent(config, settings, { tools, secrets: paramSecrets(allowed, serverParams) }),
    manifest: agent,
    findings: findings.map(withFile),
    toolIds: Object.fromEntries(toolIds),
  };
}

function toolConfig(
  { name, description, inputSchema = queryOnly, answerSchema, systemPrompt, model, maxRounds, maxTokens }: Manifest,
  instructions: string,
  { agent, execution = { taskSupport: 'optional' }, priority }: ManifestSettings,
): AgentToolConfig {
  const given = { model, maxRounds, maxTokens, ...(answerSchema && { answerSchema }), ...agent };
  return {
    name,
    description,
    inputSchema,
    agent: { ...given, systemPrompt: systemPrompt + instructions },
    toolSources: [],
    execution,
    ...(priority !== undefined && { priority }),
  };
}

const queryOnly = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

/** A tool that a manifest names, or one of its own. */
interface NamedTool {
  tool: ExposedTool;
  kind: 'tool' | 'resource';
  /** Where in the manifest. */
  place: string;
  /** Its name there. Resources of schemas have none: they may be several tools. */
  id?: string;
  /** What names it in texts. */
  parts: PartId[];
}

/** The tools and resources that a manifest names, and its own. */
function namedTools(
  { agent, schemas: own }: Pick<LoadedAgent, 'schemas'> & { agent: Manifest },
  {
    schemas,
    serverParams,
    findings,
  }: Required<Pick<ManifestSettings, 'schemas' | 'serverParams'>> & { findings: Finding[] },
): NamedTool[] {
  const exposed = schemaTools({ schemas: [...schemas, ...own], serverParams });
  const external = exposed.slice(0, exposed.length - exposeSchemas(own).length);
  const ownTools = exposed.slice(external.length).map((tool): NamedTool => {
    const kind = tool.resource === undefined ? 'tool' : 'resource';
    const name = tool.resource?.resourceName ?? tool.toolName;
    return { tool, kind, place: `agent.${kind}s.${name}`, id: tool.toolName, parts: [{ namespace: '', name }] };
  });
  const resolve = createToolResolver(external);
  const tools = idsIn(agent.tools).flatMap((id): NamedTool[] => {
    const { outcome, tools: found, findings: problems } = resolve(id);
    const [tool] = found;
    if (outcome === 'match' && tool !== undefined) {
      const parts = [parseId(id), { namespace: tool.namespace, name: tool.toolName }];
      return [{ tool, kind: 'tool', place: `agent.tools.${id}`, id, parts }];
    }
    const near = problems.find(({ hint }) => hint?.startsWith('Did you mean'));
    const several = { why: 'several schemas have', hint: 'Pass only one of them in schemas.' };
    findings.push(missing('tools', id, outcome === 'ambiguous' ? several : near && { hint: near.hint }));
    return [];
  });
  const resources = idsIn(agent.resources).flatMap((id) => {
    const part = parseId(id);
    const found = external.filter(
      ({ namespace, resource }) => namespace === part.namespace && resource?.resourceName === part.name,
    );
    if (found.length === 0) findings.push(missing('resources', id));
    return found.map((tool): NamedTool => ({ tool, kind: 'resource', place: `agent.resources.${id}`, parts: [part] }));
  });
  return [...ownTools, ...tools, ...resources];
}

/** What a part of a manifest names by id. */
function idsIn(part: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(part).filter((id) => part[id] === null);
}

function createNameOf(named: readonly NamedTool[]): NameOf {
  return (kind, { namespace, name }) => {
    const isIt = (part: PartId) => part.namespace === namespace && part.name === name;
    const names = named.filter((one) => one.kind === kind && one.parts.some(isIt)).map(({ tool }) => tool.listing.name);
    return names.length === 0 ? undefined : [...new Set(names)].join(', ');
  };
}

function allowedTools(named: readonly NamedTool[], allowDestructive: boolean, findings: Finding[]): ExposedTool[] {
  return [...new Map(named.map(({ tool, place }) => [tool, place]))].flatMap(([tool, place]) => {
    if (allowDestructive || !isDestructive(tool.listing)) return tool;
    const message = `${tool.listing.name} is left out, because it may destroy something`;
    findings.push(configFinding('AGS006', place, message, 'To allow it: agent: { allowDestructive: true }.'));
    return [];
  });
}

/** Compares the hash in the manifest with that of the tools. */
function checkHash({ hash, tools }: Manifest, named: readonly NamedTool[], schemas: readonly unknown[]): Finding[] {
  if (hash === undefined) return [];
  const hashes = named.flatMap(({ id = '', tool: { namespace, toolName } }) => {
    if (tools[id] !== null) return [];
    const main = schemas.map(mainOf).find((one) => Object(one).namespace === namespace && hasTool(one, toolName));
    return { id, ...hashForms({ tool: { main, name: toolName } }) };
  });
  const checks = (['canonical', 'plain'] as const).map((form) =>
    verifyHash({ agent: { tools: hashes.map(({ id, [form]: own }) => ({ id, hash: own ?? '' })) }, hash }),
  );
  if (checks.some(({ status }) => status)) return [];
  return (checks[0]?.findings ?? []).map((finding) => ({ ...finding, severity: 'warning', path: 'agent.hash' }));
}

function hasTool(main: unknown, name: string): boolean {
  const { tools, routes } = Object(main) as { tools?: object; routes?: object };
  return Object.hasOwn(tools ?? routes ?? {}, name);
}
