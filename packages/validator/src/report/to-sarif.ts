import type { CompareResult } from '../compare/compare.ts';
import { sectionNames } from '../compare/sections.ts';
import { changeSentence, changesOf } from '../compare/summary.ts';
import { type Code, codes, type Severity } from '../findings/codes.ts';
import { plainText } from '../findings/plain-text.ts';
import type { StartResult } from '../start.ts';
import { placeOf } from './facts.ts';
import { type SarifLevel, type SarifLog, type SarifProblem, type SarifRule, sarifLog } from './sarif-log.ts';
import type { ReportOptions } from './to-text.ts';

const LEVELS: Readonly<Record<Severity, SarifLevel>> = { ERROR: 'error', WARNING: 'warning', INFO: 'note' };

/** A result as SARIF 2.1.0, which code hosts show beside other checks. What a comparison found is included: changes have rules of their own. */
export function toSarif(result: StartResult, { comparison }: ReportOptions = {}): SarifLog {
  const { findings, entries } = result;
  // A command line is no address; code hosts refuse results without one.
  const uri = entries.endpoint !== null && URL.canParse(entries.endpoint) ? entries.endpoint : 'mcp-server';
  const found = [...findings, ...(comparison?.findings ?? [])].map(({ code, severity, location, text }) => ({
    ...{ rule: ruleOf(code), level: LEVELS[severity], text },
    name: placeOf(location, result),
  }));
  const changes = comparison === undefined ? [] : changesIn(comparison);
  const problems = [...found, ...changes].map((problem) => {
    const fingerprints = { place: `${problem.rule.id} ${problem.name}` };
    return { ...problem, artifact: { uri }, fingerprints };
  });
  return sarifLog(problems, 'https://modelcontextprotocol.io');
}

function rule(id: string, level: SarifLevel, meaning: string, advice: string): SarifRule {
  return { id, shortDescription: { text: meaning }, help: { text: advice }, defaultConfiguration: { level } };
}

function ruleOf(code: Code): SarifRule {
  const [severity, meaning, advice] = codes[code];
  return rule(code, LEVELS[severity], meaning, advice);
}

/** Changes are no faults with codes; code hosts need a rule for each result all the same. */
const toolChanged = rule(
  'tool-changed',
  'warning',
  'A tool changed what it promises since the earlier result.',
  'Look at the tool again before it is used.',
);
const serverChanged = rule(
  'server-changed',
  'note',
  'The server offers something else than in the earlier result.',
  'Keep the new result if the change is meant.',
);

/** Each tool that changed its promises, and each section in which something changed. */
function changesIn({ rugPulls, diff }: CompareResult): (Omit<SarifProblem, 'fingerprints'> & { name: string })[] {
  const tools = rugPulls.map((pull) => ({
    rule: toolChanged,
    level: 'warning' as const,
    text: [changeSentence(pull), ...changesOf(pull, diff.tools)].join(' '),
    name: `tools/${plainText(pull.name, 80)}`,
  }));
  const sections = sectionNames.flatMap((name) => {
    const { added, removed, modified } = diff[name];
    if (name === 'latency' || added.length + removed.length + modified.length === 0) return [];
    const text = `${name}: ${added.length} added, ${removed.length} removed, ${modified.length} changed`;
    return [{ rule: serverChanged, level: 'note' as const, text, name }];
  });
  return [...tools, ...sections];
}
