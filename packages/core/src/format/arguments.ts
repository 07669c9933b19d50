import type { Finding } from './finding.ts';

/** What an argument of a public method has to be. */
export type ArgumentKind = 'text' | 'array' | 'object' | 'text array' | 'true or false';

/**
 * Findings for arguments of a public method that are missing or of another kind; programs in plain JavaScript can pass
 * anything.
 */
export function checkArguments(
  method: string,
  options: Readonly<Record<string, unknown>> | undefined,
  expected: Readonly<Record<string, ArgumentKind>>,
): Finding[] {
  return Object.entries(expected).flatMap(([name, kind]): Finding[] => {
    const value = options?.[name];
    if (isKind(value, kind)) return [];
    const got = describe(value);
    return [
      { code: 'ARG001', severity: 'error', path: name, message: `${method} needs ${name} (${kind}), got ${got}` },
    ];
  });
}

function isKind(value: unknown, kind: ArgumentKind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && value !== '';
    case 'array':
      return Array.isArray(value);
    case 'text array':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'true or false':
      return typeof value === 'boolean';
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === '') return 'empty text';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
