import { scanRules } from '../module/scan-rules.ts';
import type { Severity } from '../schema/finding.ts';
import { schemaCodes } from '../schema/finding-codes.ts';
import { legacyCodes } from '../schema/legacy/legacy-codes.ts';
import { listCodes } from '../schema/list-codes.ts';
import { lockCodes } from '../schema/lock-codes.ts';
import { outputCodes } from '../schema/output/check-output.ts';
import { promptCodes } from '../schema/prompts/prompt-codes.ts';
import { referenceCodes } from '../schema/references/reference.ts';
import { resourceCodes } from '../schema/resource-codes.ts';
import { zCodes } from '../schema/z/z-expression.ts';

/** What a rule asks for. */
export interface Rule {
  code: string;
  severity: Severity;
  /** A sentence. */
  text: string;
  /** Why, and what to do instead, where that is known for all its findings. */
  help?: string;
}

const tables: readonly Readonly<Record<string, readonly [Severity, string]>>[] = [
  ...[schemaCodes, zCodes, listCodes, resourceCodes, promptCodes],
  ...[legacyCodes, lockCodes, outputCodes, referenceCodes],
];

/** The rule behind the code of a finding; undefined for codes that stand in no table. */
export function ruleOf(code: string): Rule | undefined {
  const scanned = scanRules.find((rule) => rule.code === code);
  if (scanned) {
    const { severity, title, explanation, instead } = scanned;
    return { code, severity, text: title, help: `${explanation} ${instead}` };
  }
  const [severity, text] = tables.find((table) => Object.hasOwn(table, code))?.[code] ?? [];
  return severity === undefined || text === undefined ? undefined : { code, severity, text };
}
