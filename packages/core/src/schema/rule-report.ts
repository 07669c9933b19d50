import { agentCodes } from './agent/agent-codes.ts';
import { type Finding, type FindingDetail, findingMaker, type Report } from './finding.ts';
import { schemaCodes } from './finding-codes.ts';
import { legacyCodes } from './legacy/legacy-codes.ts';
import { promptCodes } from './prompts/prompt-codes.ts';
import { referenceCodes } from './references/reference.ts';
import { resourceCodes } from './resource-codes.ts';
import { zCodes } from './z/z-expression.ts';

type PlainRules = typeof schemaCodes & typeof agentCodes & typeof legacyCodes & typeof referenceCodes;
type PlacedRules = typeof zCodes & typeof promptCodes & typeof resourceCodes;

const placedRules: PlacedRules = { ...zCodes, ...promptCodes, ...resourceCodes };

/** The code of a rule about a schema, its prompts and resources, an agent or a reference. */
export type RuleCode = keyof PlainRules | keyof PlacedRules;

/**
 * Reports a breach of a rule by its code, or a finding that was made elsewhere. A text as the last argument is the hint.
 * It gives undefined, so that a rule can stop with `return report(…)`.
 */
export interface RuleReport {
  (code: RuleCode, path: string, message: string, detail?: FindingDetail | string): undefined;
  (finding: Finding): undefined;
}

/** A place in a document that is checked, and what takes the findings. */
export interface Place {
  path: string;
  report: RuleReport;
}

const plainFinding = findingMaker<PlainRules>({ ...schemaCodes, ...agentCodes, ...legacyCodes, ...referenceCodes });
const placedFinding = findingMaker(placedRules, { endsWithPath: true });

/** Makes the findings of rules and passes them on. */
export function ruleReport(report: Report): RuleReport {
  return (rule: Finding | RuleCode, path: string = '', message: string = '', detail?: FindingDetail | string) => {
    if (typeof rule !== 'string') report(rule);
    else if (isPlaced(rule)) report(placedFinding(rule, path, message, detail));
    else report(plainFinding(rule, path, message, detail));
    return undefined;
  };
}

function isPlaced(code: RuleCode): code is keyof PlacedRules {
  return Object.hasOwn(placedRules, code);
}
