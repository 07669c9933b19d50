import { lockCodes } from '../lock/lock-codes.ts';
import { scanRules } from '../module/scan-rules.ts';
import type { Severity } from '../schema/finding.ts';
import {
  legacyCodes,
  listCodes,
  promptCodes,
  referenceCodes,
  resourceCodes,
  schemaCodes,
} from '../schema/finding-codes.ts';
import { outputCodes } from '../schema/output/check-output.ts';

/** What a rule asks for. */
export interface Rule {
  code: string;
  severity: Severity;
  /** A sentence. */
  text: string;
  /** Why, and what to do instead, if it is the same for all its findings. */
  help?: string;
}

const tables: readonly Readonly<Record<string, readonly [Severity, string]>>[] = [
  ...[schemaCodes, listCodes, resourceCodes, promptCodes],
  ...[legacyCodes, lockCodes, outputCodes, referenceCodes],
];

/** The rule behind the code of a finding; undefined for codes that are in no table. */
export function ruleOf(code: string): Rule | undefined {
  const scanned = scanRules.find((rule) => rule.code === code);
  if (scanned) {
    const { severity, title, explanation, instead } = scanned;
    return { code, severity, text: title, help: `${explanation} ${instead}` };
  }
  const [severity, text] = tables.find((table) => Object.hasOwn(table, code))?.[code] ?? [];
  return severity === undefined || text === undefined ? undefined : { code, severity, text };
}
