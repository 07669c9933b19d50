import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from './open-agent.ts';

type AgentTest = Manifest['tests'][number];

/** What a run of a test did. */
export interface TestedRun {
  /** Ids of the called tools. */
  tools: readonly string[];
  answer: unknown;
  /** The answer as text. */
  text: string;
}

/** How a run differs from what its test expects: the exact set of tools, and parts of the answer. Empty if it passes. */
export function checkAnswer({ expectedTools, expectedContent = [] }: AgentTest, run: TestedRun): string[] {
  const called = [...new Set(run.tools)].sort();
  const expected = [...new Set(expectedTools)].sort();
  const missing = expected.filter((id) => !called.includes(id)).map((id) => `${id} was not called`);
  const extra = called.filter((id) => !expected.includes(id)).map((id) => `${id} was called, and is not expected`);
  const content = expectedContent.flatMap((check) => contentProblem(check, run) ?? []);
  return [...missing, ...extra, ...content];
}

type ContentCheck = NonNullable<AgentTest['expectedContent']>[number];

function contentProblem(check: ContentCheck, { answer, text }: TestedRun): string | undefined {
  if (typeof check === 'string') {
    return contains(text, check) ? undefined : `the answer does not contain ${JSON.stringify(check)}`;
  }
  const { field, ...wanted } = check;
  const value = field.split('.').reduce<unknown>((part, key) => Object(part)[key], answer);
  if ('contains' in wanted && !contains(JSON.stringify(value) ?? '', String(wanted.contains)))
    return `${field} does not contain ${JSON.stringify(wanted.contains)}: ${shown(value)}`;
  if ('equals' in wanted && !isDeepStrictEqual(value, wanted.equals))
    return `${field} is ${shown(value)}, expected ${JSON.stringify(wanted.equals)}`;
  if ('type' in wanted && typeOf(value) !== wanted.type)
    return `${field} is ${typeOf(value)}, expected ${String(wanted.type)}`;
  return undefined;
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
