import { childPath } from '../finding.ts';
import type { RuleCode } from '../finding-codes.ts';
import type { ContentCheck } from '../format/format-types.generated.ts';
import { isObject, type JsonObject } from '../json.ts';
import { parseSchema } from '../parse-schema.ts';
import { parseReference } from '../references/parse-reference.ts';
import type { Place, RuleReport } from '../rule-report.ts';
import { textArray, textField } from '../rules/fields.ts';
import { type AgentOwner, ownResourceSchema, parseExternal } from './agent-tools.ts';

/** Parses `prompts` of an agent: `{ file }` by name, null for the id of a prompt of a schema. */
export function parseAgentPrompts(value: unknown, context: Place): Record<string, { file: string } | null> {
  return parseParts('prompts', value, context, (part) => {
    return part.key.includes('/') ? parseExternal({ ...part, type: 'prompt' }, part) : parseFile('AGT013', part);
  });
}

/** Parses `skills` of an agent: `{ file }` by name. They are written for the agent's model, so they have no ids. */
export function parseAgentSkills(value: unknown, context: Place): Record<string, { file: string }> {
  return parseParts('skills', value, context, (part) => {
    if (!part.key.includes('/')) return parseFile('AGT014', part);
    const hint = 'Skills are written for the model of one agent; copy the file.';
    return part.report('AGT014', part.path, `a skill name must not contain a slash (${part.path})`, hint);
  });
}

/** Parses `resources` of an agent: a definition by name, null for the id of a resource of a schema. */
export function parseAgentResources(
  value: unknown,
  { owner, ...context }: Place & { owner: AgentOwner },
): Record<string, JsonObject | null> {
  const resources = parseParts('resources', value, context, (part) => {
    if (part.key.includes('/')) return parseExternal({ ...part, type: 'resource' }, part);
    if (isObject(part.value)) return part.value as JsonObject;
    return part.report('AGT015', part.path, `an inline resource must be an object (${part.path})`);
  });
  const own = ownResources(resources);
  if (Object.keys(own).length > 0) {
    const { main, toAgentFinding } = ownResourceSchema(own, { owner, path: context.path });
    parseSchema(main, (finding) => context.report(toAgentFinding(finding)));
  }
  return resources;
}

export function ownResources(
  resources: Readonly<Record<string, JsonObject | null>>,
): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(Object.entries(resources).flatMap(([name, own]) => (own === null ? [] : [[name, own]])));
}

const codes = { prompts: 'AGT013', skills: 'AGT014', resources: 'AGT015' } as const;

interface Part extends Place {
  key: string;
  value: unknown;
}

/** Parses an object of parts; those for which `read` returns undefined are left out. */
function parseParts<T>(
  name: keyof typeof codes,
  value: unknown,
  { path, report }: Place,
  read: (part: Part) => T | undefined,
): Record<string, T> {
  if (value === undefined) return {};
  const place = `${path}.${name}`;
  const entries = Array.isArray(value) ? entriesOfArray(value) : isObject(value) && Object.entries(value);
  if (!entries) {
    report(codes[name], place, `${place} must be an object`, 'Write {} when there are none.');
    return {};
  }
  if (Array.isArray(value)) {
    const message = `${place} should be an object; the array is accepted`;
    report(codes[name], place, message, { hint: 'Write an object.', severity: 'warning' });
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

function parseFile(code: RuleCode, { key, value, path, report }: Part): { file: string } | undefined {
  const file = isObject(value) ? textField(value, 'file') : undefined;
  if (file !== undefined) return { file };
  return report(code, path, `${key} must be { file } (${path})`, `Write { file: './${key}.mjs' }.`);
}

export interface AgentTest {
  _description: string;
  input: string;
  /** Exactly the tools that the agent must call. */
  expectedTools: readonly string[];
  /** Text or values that the answer must contain. Case is ignored. */
  expectedContent: readonly (string | ContentCheck)[];
}

interface TestContext extends Place {
  tools: readonly string[];
}

export function parseAgentTests(value: unknown, { path, tools, report }: TestContext): AgentTest[] {
  const place = `${path}.tests`;
  const tests: readonly unknown[] = Array.isArray(value) ? [...value] : [];
  if (tests.length < 3) {
    const hint = "Add tests: [{ _description: '…', input: '…', expectedTools: ['…'], expectedContent: ['…'] }].";
    const found = tests.length === 1 ? '1 test' : `${tests.length || 'no'} tests`;
    report('AGT008', place, `an agent needs at least 3 tests, and has ${found}`, hint);
  }
  const read = tests.map((test, index) => parseTest(test, { path: `${place}[${index}]`, tools, report }));
  reportRepetition(read, place, report);
  return read;
}

function parseTest(value: unknown, { path, tools, report }: TestContext): AgentTest {
  const test = isObject(value) ? value : {};
  const input = textField(test, 'input');
  if (input === undefined) {
    report('AGT009', `${path}.input`, `a test needs input, the text that the agent is asked (${path})`);
  }
  const description = textField(test, '_description');
  if (description === undefined) report('AGT023', path, `a test has no _description (${path})`);
  return {
    _description: description ?? '',
    input: input ?? '',
    expectedTools: parseExpectedTools(test.expectedTools, { path: `${path}.expectedTools`, tools, report }),
    expectedContent: parseExpectedContent(test.expectedContent, { path: `${path}.expectedContent`, report }),
  };
}

function parseExpectedTools(value: unknown, { path, tools, report }: TestContext): readonly string[] {
  const expected = textArray(value) ?? [];
  if (expected.length === 0) {
    const hint = "Write expectedTools: ['coingecko/tool/getSimplePrice'].";
    report('AGT010', path, `a test needs expectedTools, at least one (${path})`, hint);
  }
  const known = new Set(tools.map(toolKey));
  for (const [index, id] of expected.entries()) {
    if (known.has(toolKey(id))) continue;
    const place = `${path}[${index}]`;
    if (id.includes('/')) {
      const hint = 'Add it to tools, with null as its value, or correct the id.';
      report('AGT021', place, `the agent has no tool ${JSON.stringify(id)} (${place})`, hint);
    } else {
      const hint = 'Write <namespace>/tool/<name>, or the name of an inline tool.';
      report('AGT011', place, `${JSON.stringify(id)} is not the id of a tool (${place})`, hint);
    }
  }
  return expected;
}

/** Maps `<namespace>/tool/<name>` and `<namespace>/<name>` to the same key. */
function toolKey(id: string): string {
  const { reference } = parseReference(id);
  return reference?.form === 'id' ? `${reference.namespace}/${reference.name}` : id;
}

function parseExpectedContent(
  value: unknown,
  { path, report }: Omit<TestContext, 'tools'>,
): readonly (string | ContentCheck)[] {
  if (value === undefined) return [];
  const items: readonly unknown[] = Array.isArray(value) ? [...value] : [value];
  return items.filter((item, index): item is string | ContentCheck => {
    if (Array.isArray(value) && isExpectation(item)) return true;
    const place = Array.isArray(value) ? `${path}[${index}]` : path;
    const hint = "Write ['bitcoin'], or [{ field: 'price.usd', type: 'number' }].";
    report('AGT022', place, `this expectation cannot be checked (${place})`, hint);
    return false;
  });
}

function isExpectation(item: unknown): item is string | ContentCheck {
  if (typeof item === 'string') return item.trim() !== '';
  if (!isObject(item) || textField(item, 'field') === undefined) return false;
  return typeof item.contains === 'string' || typeof item.type === 'string' || Object.hasOwn(item, 'equals');
}

function reportRepetition(tests: readonly AgentTest[], path: string, report: RuleReport): void {
  const asked = new Map<string, number>();
  for (const [index, { input }] of tests.entries()) {
    const words = input.trim().toLowerCase();
    const first = asked.get(words);
    if (first === undefined) asked.set(words, index);
    else if (words !== '') {
      const message = `${path}[${index}] asks the same as ${path}[${first}]`;
      report('AGT012', `${path}[${index}].input`, message, 'Write different inputs.');
    }
  }
}
