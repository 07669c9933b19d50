import type { CompareResult } from '../compare/compare.ts';
import { sectionNames } from '../compare/sections.ts';
import { changeSentence, changesOf } from '../compare/summary.ts';
import { plainText } from '../findings/plain-text.ts';
import type { Level, SarifRule } from './to-sarif.ts';

/** A result before it has its form. */
export interface Change {
  ruleId: string;
  level: Level;
  text: string;
  place: string;
}

const TOOL_CHANGED = 'tool-changed';
const CHANGED = 'server-changed';

/** Changes are no faults with codes; code hosts need a rule for each result all the same. */
export const changeRules: readonly SarifRule[] = [
  {
    id: TOOL_CHANGED,
    shortDescription: { text: 'A tool changed what it promises since the earlier result.' },
    help: { text: 'Look at the tool again before it is used.' },
    defaultConfiguration: { level: 'warning' },
  },
  {
    id: CHANGED,
    shortDescription: { text: 'The server offers something else than in the earlier result.' },
    help: { text: 'Keep the new result if the change is meant.' },
    defaultConfiguration: { level: 'note' },
  },
];

/** Each tool that changed its promises, and each section in which something changed. */
export function changeResults({ rugPulls, diff }: CompareResult): Change[] {
  const pulls = rugPulls.map(
    (pull): Change => ({
      ruleId: TOOL_CHANGED,
      level: 'warning',
      text: [changeSentence(pull), ...changesOf(pull, diff.tools)].join(' '),
      place: `tools/${plainText(pull.name, 80)}`,
    }),
  );
  const others = sectionNames.flatMap((section): Change[] => {
    if (section === 'latency') return [];
    const { added, removed, modified } = diff[section];
    if (added.length + removed.length + modified.length === 0) return [];
    const text = `${section}: ${added.length} added, ${removed.length} removed, ${modified.length} changed`;
    return [{ ruleId: CHANGED, level: 'note', text, place: section }];
  });
  return [...pulls, ...others];
}
