import { nameList, plainText } from '../findings/plain-text.ts';
import type { CompareResult } from './compare.ts';
import type { RugPull } from './rug-pulls.ts';
import type { Modified, Section, SectionName } from './sections.ts';
import type { FieldChange } from './value-changes.ts';

/** Changes of one item that are shown with what was before. */
const MAX_SHOWN = 5;

const TITLES: Readonly<Record<SectionName, string>> = {
  server: 'Server',
  capabilities: 'Capabilities',
  tools: 'Tools',
  resources: 'Resources',
  resourceTemplates: 'Resource templates',
  prompts: 'Prompts',
  x402: 'Payment',
  oauth: 'OAuth',
  categories: 'Categories',
  latency: 'Latency',
};

/** What changed, in sentences; what people should look at comes first. */
export function summaryOf({
  diff,
  unknown,
  pulls,
}: Pick<CompareResult, 'diff' | 'unknown'> & { pulls: readonly RugPull[] }): string[] {
  const warnings = pulls.flatMap((pull) => [changeSentence(pull), ...details(pull, diff.tools)]);
  const names = Object.keys(TITLES) as SectionName[];
  const compared = names.filter((name) => name !== 'latency');
  const changed = compared.flatMap((name) => [
    ...sentences(TITLES[name], diff[name]),
    ...(name === 'x402' ? diff.x402.modified.flatMap(priceChanges) : []),
  ]);
  const unseen = compared.flatMap((name) => {
    const items = unknown[name] ?? [];
    return items.length === 0
      ? []
      : [`${TITLES[name]}: not known, since one of the two runs did not see enough: ${nameList(items)}.`];
  });
  const all = [...warnings, ...changed, ...unseen];
  return warnings.length + changed.length === 0 ? ['Nothing changed.', ...unseen] : all;
}

/** What the model was told before, and is told now. */
function details({ name, fields }: RugPull, { modified }: Section): string[] {
  const changes = modified.find((item) => item.name === name)?.changes ?? [];
  return changes
    .filter(({ field }) => fields.includes(field))
    .slice(0, MAX_SHOWN)
    .map((change) => `  ${shown(change)}`);
}

/** Prices are what people look for. */
function priceChanges({ name, changes }: Modified): string[] {
  return changes.slice(0, MAX_SHOWN).map((change) => `  ${plainText(name, 80)}: ${shown(change)}`);
}

/** A tool that changed its promises, in a sentence. */
export function changeSentence({ name, fields }: RugPull): string {
  return `Look again at the tool \`${plainText(name, 80)}\`: it changed ${nameList(fields, 5)}.`;
}

function shown({ field, before, after }: FieldChange): string {
  return `${plainText(field, 80)}: ${asText(before)} -> ${asText(after)}`;
}

function asText(value: unknown): string {
  return value === null ? 'nothing' : plainText(JSON.stringify(value), 200);
}

function sentences(title: string, { added, removed, modified }: Section): string[] {
  const parts: (readonly [string, readonly string[]])[] = [
    ['added', added],
    ['removed', removed],
    ['changed', modified.map(({ name }) => name)],
  ];
  return parts.flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${title}: ${names.length} ${what}: ${nameList(names)}.`],
  );
}
