import type { Report } from '../finding.ts';
import type { RuleCode } from '../finding-codes.ts';
import { fieldsOf } from '../format/fields.generated.ts';
import { isObject, type JsonObject } from '../json.ts';
import { type Place, ruleReport } from '../rule-report.ts';
import { reportUnknownFields, textArray, textField } from '../rules/fields.ts';
import { serverParamName } from '../template.ts';
import {
  type AgentTest,
  parseAgentPrompts,
  parseAgentResources,
  parseAgentSkills,
  parseAgentTests,
} from './agent-parts.ts';
import { parseAgentTools } from './agent-tools.ts';

/** A checked agent manifest with defaults. */
export interface AgentManifest {
  name: string;
  version: string;
  description: string;
  /** `<provider>/<model id>`. */
  model: string;
  systemPrompt: string;
  /** Null under the id of a tool of a schema; a tool definition under a name of the agent's own. */
  tools: Record<string, JsonObject | null>;
  prompts: Record<string, { file: string } | null>;
  skills: Record<string, { file: string }>;
  resources: Record<string, JsonObject | null>;
  tests: readonly AgentTest[];
  sharedLists: readonly string[];
  /** Names of the secrets that the agent's own tools need. */
  requiredServerParams: readonly string[];
  /** Maximum rounds of a conversation with the model. */
  maxRounds: number;
  /** Maximum tokens of one answer of the model. */
  maxTokens: number;
  /** The arguments that callers of the agent may pass. */
  inputSchema?: JsonObject;
  /** The answer that the model submits. An addition to the format, which other runtimes may not know. */
  answerSchema?: JsonObject;
  /** Of the agent's tools, `sha256:<hex>`. */
  hash?: string;
}

/**
 * Parses an agent manifest and reports all problems. Invalid parts are missing from the result, so use it only if no
 * finding is an error.
 *
 * @param path Name of the export that the manifest comes from; findings start with it. Default `agent`.
 */
export function parseAgentManifest(
  value: unknown,
  onFinding: Report,
  { path = 'agent' }: { path?: string } = {},
): AgentManifest | undefined {
  const report = ruleReport(onFinding);
  if (!isObject(value)) {
    const hint = "Write export const agent = { name: '…', version: 'schemakit/3.0.0', model: '…', tools: { … }, … }.";
    return report('AGT029', path, `${path} must be a plain object`, hint);
  }
  const context = { path, report };
  reportUnknownFields(value, fieldsOf.AgentManifest, context);
  const identity = parseIdentity(value, context);
  const sharedLists = parseListNames(value.sharedLists, context);
  const requiredServerParams = parseSecretNames(value.requiredServerParams, context);
  const owner = { ...identity, sharedLists, requiredServerParams };
  const tools = parseAgentTools(value, { ...context, owner });
  return {
    ...identity,
    tools,
    prompts: parseAgentPrompts(value.prompts, context),
    skills: parseAgentSkills(value.skills, context),
    resources: parseAgentResources(value.resources, { ...context, owner }),
    tests: parseAgentTests(value.tests, { ...context, tools: Object.keys(tools) }),
    sharedLists,
    requiredServerParams,
    maxRounds: parseLimit(value, 'maxRounds', 10, context),
    maxTokens: parseLimit(value, 'maxTokens', 4096, context),
    ...parseObjectSchema(value, 'inputSchema', context),
    ...parseObjectSchema(value, 'answerSchema', context),
    ...parseHash(value.hash, context),
  };
}

function parseIdentity(value: Record<string, unknown>, { path, report }: Place) {
  const parseText = (key: string, code: RuleCode, hint: string, form: RegExp = /./s, flaw = ''): string => {
    const text = textField(value, key) ?? '';
    const problem = text === '' ? 'is required' : `${flaw} ${JSON.stringify(text)}`;
    if (!form.test(text)) report(code, `${path}.${key}`, `${path}.${key} ${problem}`, hint);
    return text;
  };
  const nameHint = 'Use lowercase letters, digits and hyphens: "trip-planner".';
  return {
    name: parseText('name', 'AGT001', nameHint, /^[a-z][a-z0-9-]*$/, 'cannot be'),
    description: parseText('description', 'AGT002', 'Describe what the agent can do; clients choose by it.'),
    model: parseText('model', 'AGT003', 'Write <provider>/<model id>.', /^[^/\s]+\/\S+$/, 'has no provider:'),
    systemPrompt: parseText('systemPrompt', 'AGT005', 'Describe the role of the agent and how it works.'),
    version: parseVersion(value.version, { path, report }),
  };
}

function parseVersion(version: unknown, { path, report }: Place): string {
  const hint = 'Write "schemakit/3.0.0". This is the version of the format, not of your agent.';
  const place = `${path}.version`;
  if (typeof version !== 'string' || version.trim() === '') {
    report('AGT004', place, `${path}.version is required`, hint);
    return '';
  }
  const [, runtime] = /^([a-z][a-z0-9-]*)\/3\.0\.0$/.exec(version) ?? [];
  if (runtime === undefined) {
    report('AGT004', place, `${JSON.stringify(version)} is not a version of agent manifests`, hint);
  } else if (runtime !== 'schemakit' && runtime !== 'flowmcp') {
    const message = `${path}.version is for another runtime, ${runtime}`;
    report('AGT004', place, message, { hint, severity: 'warning' });
  }
  return version;
}

function parseListNames(value: unknown, { path, report }: Place): string[] {
  if (value === undefined) return [];
  const hint = "Write ['evmChains'].";
  if (!Array.isArray(value)) {
    report('AGT024', `${path}.sharedLists`, `${path}.sharedLists must be an array of names`, hint);
    return [];
  }
  return [...value].flatMap((item: unknown, index) => {
    if (typeof item === 'string' && item.trim() !== '') return [item];
    const place = `${path}.sharedLists[${index}]`;
    report('AGT024', place, `a shared list must be a name (${place})`, hint);
    // Schemas write list references in this form.
    return (isObject(item) ? textField(item, 'ref') : undefined) ?? [];
  });
}

function parseSecretNames(value: unknown, { path, report }: Place): readonly string[] {
  const names = value === undefined ? [] : textArray(value);
  if (names === undefined) {
    const place = `${path}.requiredServerParams`;
    report('AGT031', place, `${place} must be an array of names`, "Write ['API_KEY'].");
  }
  return (names ?? []).map((name) => serverParamName(name) ?? name.trim());
}

function parseLimit(
  value: Record<string, unknown>,
  key: 'maxRounds' | 'maxTokens',
  standard: number,
  { path, report }: Place,
): number {
  const limit = value[key];
  if (limit === undefined) return standard;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit > 0) return limit;
  report('AGT025', `${path}.${key}`, `${path}.${key} must be a positive integer; ${standard} is used`);
  return standard;
}

/** What is used in place of a schema that is none. */
const usualSchemas = {
  inputSchema: ['AGT026', '{ query } is used'],
  answerSchema: ['AGT035', 'title, analysis, keyFindings and sources are used'],
} as const;

function parseObjectSchema<Key extends keyof typeof usualSchemas>(
  value: Record<string, unknown>,
  key: Key,
  { path, report }: Place,
): { [field in Key]?: JsonObject } {
  const schema = value[key];
  if (schema === undefined) return {};
  if (isObject(schema) && schema.type === 'object') return { [key]: schema } as { [field in Key]?: JsonObject };
  const hint = "Write { type: 'object', properties: { harbour: { type: 'string' } } }.";
  const [code, instead] = usualSchemas[key];
  report(code, `${path}.${key}`, `${path}.${key} must be a JSON Schema with type 'object'; ${instead}`, hint);
  return {};
}

function parseHash(value: unknown, { path, report }: Place): { hash?: string } {
  if (value === undefined) return {};
  if (typeof value === 'string' && /^sha256:[0-9a-f]{64}$/i.test(value)) return { hash: value.toLowerCase() };
  report('AGT027', `${path}.hash`, `${path}.hash must be sha256: followed by 64 hexadecimal digits`);
  return {};
}
