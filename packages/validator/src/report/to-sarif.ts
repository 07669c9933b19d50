import type { Assessment } from '../assess/assess.ts';
import type { CompareResult } from '../compare/compare.ts';
import { isEmpty, type Section } from '../compare/diff-items.ts';
import { sectionNames } from '../compare/sections.ts';
import { changeSentence, changesOf } from '../compare/summary.ts';
import type { Severity } from '../findings/code-table.ts';
import { type Code, codes } from '../findings/codes.ts';
import { plainText } from '../findings/plain-text.ts';
import { layerNames } from '../input/layer-names.ts';
import { placeOf } from '../snapshot/x402-entry.ts';
import type { StartResult } from '../start.ts';
import type { ReportOptions } from './report-options.ts';
import { type SarifLevel, type SarifLog, type SarifProblem, type SarifRule, sarifLog } from './sarif-log.ts';

const LEVELS: Readonly<Record<Severity, SarifLevel>> = { ERROR: 'error', WARNING: 'warning', INFO: 'note' };

/** A result of `start` or `assess` as SARIF 2.1.0, for code hosts. Includes the changes of a comparison. */
export function toSarif(result: StartResult | Assessment, { comparison }: ReportOptions = {}): SarifLog {
  const { findings, entries } = result;
  // Code hosts require a URI, and a command line is not one.
  const { endpoint } = entries;
  const uri = typeof endpoint === 'string' && URL.canParse(endpoint) ? endpoint : 'mcp-server';
  const calls = 'layers' in result ? [] : result.entries.x402.restrictedCalls;
  const found = [...findings, ...(comparison?.findings ?? [])].map(({ code, severity, location, text }) => ({
    ...{ rule: ruleOf(code), level: LEVELS[severity], text },
    name: placeOf(location, calls),
  }));
  const changes =
    comparison === undefined
      ? []
      : 'summary' in comparison
        ? changesIn(comparison)
        : serverChanges(layerNames, comparison.diff);
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
  const { severity, meaning, fix } = codes[code];
  return rule(code, LEVELS[severity], meaning, fix);
}

/** Changes have no codes, but SARIF needs a rule for each result. */
const toolChanged = rule(
  'tool-changed',
  'warning',
  'A tool changed since the earlier result.',
  'Review the tool before using it.',
);
const serverChanged = rule(
  'server-changed',
  'note',
  'The server changed since the earlier result.',
  'Store the new result if the change is intended.',
);

type Change = Omit<SarifProblem, 'fingerprints'> & { name: string };

/** The changed layers or sections, with how much changed in each. */
function serverChanges<Name extends string>(names: readonly Name[], diff: Readonly<Record<Name, Section>>): Change[] {
  return names.flatMap((name) => {
    const { added, removed, modified } = diff[name];
    if (isEmpty(diff[name])) return [];
    const text = `${name}: ${added.length} added, ${removed.length} removed, ${modified.length} changed`;
    return [{ rule: serverChanged, level: 'note' as const, text, name }];
  });
}

/** The changed tools, then the changed sections. */
function changesIn({ rugPulls, diff }: CompareResult): Change[] {
  const tools = rugPulls.map((pull) => ({
    rule: toolChanged,
    level: 'warning' as const,
    text: [changeSentence(pull), ...changesOf(pull, diff.tools)].join(' '),
    name: `tools/${plainText(pull.name, 80)}`,
  }));
  const sections = sectionNames.filter((name) => name !== 'latency');
  return [...tools, ...serverChanges(sections, diff)];
}
