import type { Finding } from '@schemakit/core';
import { type Failure, failureOf } from '../output/exit-status.ts';
import type { SourceCode } from './source-codes.ts';

/** Files that are not what they should be are `validation`, as everywhere. */
const failures: Partial<Readonly<Record<SourceCode, Failure>>> = {
  SRC001: 'usage',
  SRC002: 'upstream',
  SRC008: 'usage',
  SRC010: 'other',
  SRC014: 'other',
  SRC015: 'notFound',
  SRC016: 'notFound',
  SRC018: 'other',
  SRC019: 'notFound',
};

/** Why an import or an update failed, from its first error. */
export function sourceFailure(findings: readonly Finding[]): Failure {
  const code = findings.find(({ severity }) => severity === 'error')?.code;
  return failures[code as SourceCode] ?? failureOf(findings);
}
