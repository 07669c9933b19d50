import type { Severity } from '../../finding.ts';

/** A `main` that breaks one rule, the finding, and the fixed `main`. */
export interface RuleCase {
  code: string;
  severity: Severity;
  path: string;
  message: string;
  /** Parts of `main` that break the rule. A part that is undefined is left out. */
  breaks: Readonly<Record<string, unknown>>;
  /** The fixed parts. Default: none, so that `main` is valid. */
  keeps?: Readonly<Record<string, unknown>>;
  /** Codes of the other findings. Default none. */
  others?: readonly string[];
}

/** A `main` without findings, with parts of it replaced. */
export function mainWith(parts: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    namespace: 'shop',
    name: 'Shop',
    description: 'Things that a shop has',
    version: '3.0.0',
    root: 'https://api.example.com',
    requiredServerParams: [],
    requiredLibraries: [],
    headers: {},
    ...toolWith(),
    ...parts,
  };
}

/** `tools` with one tool, `getThing`, without findings, with parts of it replaced. */
export function toolWith(parts: Readonly<Record<string, unknown>> = {}): { tools: Record<string, unknown> } {
  const tool = {
    method: 'GET',
    path: '/thing',
    description: 'One thing',
    parameters: [],
    output: { mimeType: 'application/json', schema: { type: 'object' } },
    tests: testsWith({}),
    ...parts,
  };
  return { tools: { getThing: tool } };
}

/** Three tests that give the same values. */
export function testsWith(values: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  return ['first', 'second', 'third'].map((word) => ({ _description: word, ...values }));
}

/** An optional parameter of the query that callers fill, with parts of its blocks replaced. */
export function parameterWith(
  position: Readonly<Record<string, unknown>> = {},
  z: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    position: { key: 'id', value: '{{USER_PARAM}}', location: 'query', ...position },
    z: { primitive: 'string()', options: ['optional()'], ...z },
  };
}

/** The tool with one parameter. */
export function withParameter(
  position: Readonly<Record<string, unknown>> = {},
  z: Readonly<Record<string, unknown>> = {},
): { tools: Record<string, unknown> } {
  return toolWith({ parameters: [parameterWith(position, z)] });
}
