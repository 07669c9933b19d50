import type { Severity } from '../format/finding.ts';
import { schemaCodes } from '../format/finding-codes.ts';
import { legacyCodes } from '../format/legacy/legacy-codes.ts';
import { listCodes } from '../format/list-codes.ts';
import { lockCodes } from '../format/lock-codes.ts';
import { outputCodes } from '../format/output/check-output.ts';
import { promptCodes } from '../format/prompts/prompt-codes.ts';
import { referenceCodes } from '../format/references/reference.ts';
import { resourceCodes } from '../format/resource-codes.ts';
import { zCodes } from '../format/z/z-expression.ts';
import { scanRules } from '../module/scan-rules.ts';

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
