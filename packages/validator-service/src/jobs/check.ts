import { type Assessment, type AssessOptions, assess } from '@schemakit/validator';
import type { ServiceFinding } from '../problems/finding.ts';
import { problemOf, withProblem } from '../problems/problem.ts';
import type { Settings } from '../settings.ts';

/** What a caller may ask of an assessment. */
export type CheckInput = Pick<AssessOptions, 'url' | 'timeout' | 'layers' | 'erc8004'> & {
  headers?: Readonly<Record<string, string>>;
};

/** How a service reaches targets: its own resolver, or other certificate authorities. */
export type TargetAccess = Pick<AssessOptions, 'lookup' | 'ca'>;

export type Check = (
  input: CheckInput,
  options: { signal: AbortSignal; onLayer?: AssessOptions['onLayer'] },
) => Promise<Assessment>;

/** Assesses targets under the rules of a public service: nothing that may write is called, and private addresses are refused. */
export function createCheck(
  { allowPrivateTargets }: Pick<Settings, 'allowPrivateTargets'>,
  access: TargetAccess,
): Check {
  return async (input, { signal, onLayer }) => {
    const assessment = await assess({
      ...input,
      ...access,
      probe: 'safe',
      publicOnly: !allowPrivateTargets,
      signal,
      ...(onLayer && { onLayer }),
    });
    refuseOptions(assessment.findings);
    return assessment;
  };
}

type Found = Pick<Assessment['findings'][number], 'code' | 'severity' | 'location' | 'text' | 'fix'>;

/** Codes about the options of an assessment, rather than what it found. */
const ofOptions = /^ASM-0[01]\d$/;

/** Throws a problem for findings about the request, rather than about the target. */
export function refuseOptions(found: readonly Found[]): void {
  const findings = found
    .filter(({ code, severity }) => severity === 'ERROR' && ofOptions.test(code))
    .map(
      ({ code, location, text, fix }): ServiceFinding => ({
        code,
        severity: 'error',
        path: location.replace(/^\w+/, 'body'),
        message: `${location.replace(/^\w+\.?/, '')}: ${text}.`,
        hint: fix,
      }),
    );
  if (findings.length > 0) throw withProblem(problemOf(400, findings));
}
