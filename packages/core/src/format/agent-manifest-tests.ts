import { agentFinding } from './agent-manifest-codes.ts';
import type { Report } from './finding.ts';
import { isObject } from './json.ts';
import { parseReference } from './parse-reference.ts';
import { textArray, textField } from './rules/fields.ts';

/** What an answer of an agent is checked for, besides text: a field of a structured answer, by its dotted path. */
export type ContentCheck = { field: string } & ({ contains: string } | { equals: unknown } | { type: string });

/** A test case of an agent (specification 2.8). */
export interface AgentTest {
  _description: string;
  /** What the agent is asked. */
  input: string;
  /** The tools that it must call: these and no others. */
  expectedTools: readonly string[];
  /** What its answer must contain. Text is looked for without regard to case. */
  expectedContent: readonly (string | ContentCheck)[];
}

interface Context {
  path: string;
  /** Keys of the agent's tools. */
  tools: readonly string[];
  report: Report;
}

/** Reads `tests` of an agent: at least three. */
export function readAgentTests(value: unknown, { path, tools, report }: Context): AgentTest[] {
  const place = `${path}.tests`;
  const tests: readonly unknown[] = Array.isArray(value) ? [...value] : [];
  if (tests.length < 3) {
    const hint = "Add tests: [{ _description: '…', input: '…', expectedTools: ['…'], expectedContent: ['…'] }].";
    report(agentFinding('AGT008', place, `${tests.length} of 3 tests`, { hint }));
  }
  const read = tests.map((test, index) => readTest(test, { path: `${place}[${index}]`, tools, report }));
  reportRepetition(read, place, report);
  return read;
}

function readTest(value: unknown, { path, tools, report }: Context): AgentTest {
  const test = isObject(value) ? value : {};
  const input = textField(test, 'input');
  if (input === undefined) {
    report(agentFinding('AGT009', `${path}.input`, `a test needs input, the text that the agent is asked (${path})`));
  }
  const description = textField(test, '_description');
  if (description === undefined) report(agentFinding('AGT023', path, `a test has no _description (${path})`));
  return {
    _description: description ?? '',
    input: input ?? '',
    expectedTools: readExpectedTools(test.expectedTools, { path: `${path}.expectedTools`, tools, report }),
    expectedContent: readExpectedContent(test.expectedContent, { path: `${path}.expectedContent`, report }),
  };
}

function readExpectedTools(value: unknown, { path, tools, report }: Context): readonly string[] {
  const expected = textArray(value) ?? [];
  if (expected.length === 0) {
    const hint = "Write expectedTools: ['coingecko/tool/getSimplePrice'].";
    report(agentFinding('AGT010', path, `a test needs expectedTools, at least one (${path})`, { hint }));
  }
  const known = new Set(tools.map(toolKey));
  for (const [index, id] of expected.entries()) {
    if (known.has(toolKey(id))) continue;
    const place = `${path}[${index}]`;
    if (id.includes('/')) {
      report(agentFinding('AGT021', place, `the agent has no tool ${JSON.stringify(id)} (${place})`));
    } else {
      const hint = 'Write <namespace>/tool/<name>, or the name of an inline tool.';
      report(agentFinding('AGT011', place, `${JSON.stringify(id)} is not the id of a tool (${place})`, { hint }));
    }
  }
  return expected;
}

/** The same for `<namespace>/tool/<name>` and `<namespace>/<name>`. */
function toolKey(id: string): string {
  const { reference } = parseReference(id);
  return reference?.form === 'id' ? `${reference.namespace}/${reference.name}` : id;
}

function readExpectedContent(
  value: unknown,
  { path, report }: Omit<Context, 'tools'>,
): readonly (string | ContentCheck)[] {
  if (value === undefined) return [];
  const items: readonly unknown[] = Array.isArray(value) ? [...value] : [value];
  return items.filter((item, index): item is string | ContentCheck => {
    if (Array.isArray(value) && isExpectation(item)) return true;
    const place = Array.isArray(value) ? `${path}[${index}]` : path;
    const hint = "Write ['bitcoin'], or [{ field: 'price.usd', type: 'number' }].";
    report(agentFinding('AGT022', place, `this expectation cannot be checked (${place})`, { hint }));
    return false;
  });
}

function isExpectation(item: unknown): item is string | ContentCheck {
  if (typeof item === 'string') return item.trim() !== '';
  if (!isObject(item) || textField(item, 'field') === undefined) return false;
  return typeof item.contains === 'string' || typeof item.type === 'string' || Object.hasOwn(item, 'equals');
}

function reportRepetition(tests: readonly AgentTest[], path: string, report: Report): void {
  const asked = new Map<string, number>();
  for (const [index, { input }] of tests.entries()) {
    const words = input.trim().toLowerCase();
    const first = asked.get(words);
    if (first === undefined) asked.set(words, index);
    else if (words !== '') {
      const message = `${path}[${index}] asks the same as ${path}[${first}]`;
      report(agentFinding('AGT012', `${path}[${index}].input`, message, { hint: 'Ask for different things.' }));
    }
  }
}
