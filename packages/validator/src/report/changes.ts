import type { AssessmentComparison } from '../assess/compare-assessments.ts';
import type { CompareResult } from '../compare/compare.ts';
import { isEmpty } from '../compare/diff-items.ts';
import { showChange } from '../compare/value-changes.ts';
import { nameList, plainText } from '../findings/plain-text.ts';
import { layerNames } from '../input/layer-names.ts';

/** Changes shown per item. */
const MAX_SHOWN = 5;

/** A comparison as text. */
export function changeLines(comparison: CompareResult | AssessmentComparison): string[] {
  if ('summary' in comparison) return [...comparison.messages, ...comparison.summary];
  const { messages, status, hasChanges } = comparison;
  if (!status) return messages;
  const unseen = layerNames.flatMap((name) => {
    const items = comparison.unknown[name] ?? [];
    return items.length === 0
      ? []
      : [`${name}: unknown, because one of the assessments was incomplete: ${nameList(items)}.`];
  });
  if (hasChanges) return [...messages, ...layerChanges(comparison), ...unseen];
  return [...messages, unseen.length === 0 ? 'Nothing changed.' : 'Nothing changed in what both saw.', ...unseen];
}

function layerChanges({ diff }: AssessmentComparison): string[] {
  return layerNames.flatMap((name) => {
    const { added, removed, modified } = diff[name];
    if (isEmpty(diff[name])) return [];
    const parts = [
      ['added', added],
      ['removed', removed],
      ['changed', modified.map((item) => item.name)],
    ] as const;
    return [
      ...parts.flatMap(([what, items]) =>
        items.length === 0 ? [] : [`${name}: ${items.length} ${what}: ${nameList(items)}.`],
      ),
      ...modified.flatMap((item) =>
        item.changes.slice(0, MAX_SHOWN).map((change) => `  ${plainText(item.name, 80)}: ${showChange(change)}`),
      ),
    ];
  });
}
