import { nameList, plainText } from '../findings/plain-text.ts';
import type { Modified, Section } from './diff-items.ts';
import type { SectionName } from './sections.ts';
import { showChange, valueChanges } from './value-changes.ts';

/** Changes shown per item. */
const MAX_SHOWN = 5;

/** Sections shown with details: prices, and text that reaches models. */
const DETAILED: ReadonlySet<SectionName> = new Set(['server', 'prompts', 'resources', 'resourceTemplates', 'x402']);

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

/** A tool that now tells models something else. */
export interface RugPull {
  name: string;
  /** Paths of the changed fields. */
  fields: string[];
}

interface Compared {
  diff: Readonly<Record<SectionName, Section>>;
  unknown: Partial<Record<SectionName, string[]>>;
  pulls: readonly RugPull[];
  /** The current instructions of the server. */
  instructions: unknown;
}

/** Describes the changes, most important first. */
export function summaryOf({ diff, unknown, pulls, instructions }: Compared): string[] {
  const warnings = pulls.flatMap((pull) => [
    changeSentence(pull),
    ...changesOf(pull, diff.tools).map((change) => `  ${change}`),
  ]);
  const names = Object.keys(TITLES) as SectionName[];
  const compared = names.filter((name) => name !== 'latency');
  const changed = compared.flatMap((name) => [
    ...sentences(TITLES[name], diff[name]),
    ...(DETAILED.has(name) ? diff[name].modified.flatMap(itemChanges) : []),
    ...(name === 'server' && diff.server.added.includes('instructions') ? [newInstructions(instructions)] : []),
  ]);
  const unseen = compared.flatMap((name) => {
    const items = unknown[name] ?? [];
    return items.length === 0
      ? []
      : [`${TITLES[name]}: unknown, because one of the runs was incomplete: ${nameList(items)}.`];
  });
  const all = [...warnings, ...changed, ...unseen];
  if (warnings.length + changed.length > 0) return all;
  return unseen.length === 0 ? ['Nothing changed.'] : ['Nothing changed in what both runs saw.', ...unseen];
}

/** The old and the new text of each field, one per line. */
export function changesOf({ name, fields }: RugPull, { modified }: Section): string[] {
  const changes = modified.find((item) => item.name === name)?.changes ?? [];
  return changes
    .filter(({ field }) => fields.includes(field))
    .slice(0, MAX_SHOWN)
    .map(showChange);
}

function itemChanges({ name, changes }: Modified): string[] {
  return changes.slice(0, MAX_SHOWN).map((change) => `  ${plainText(name, 80)}: ${showChange(change)}`);
}

function newInstructions(instructions: unknown): string {
  const [change] = valueChanges(undefined, instructions);
  return `  instructions: ${change === undefined ? 'not a text' : showChange(change)}`;
}

export function changeSentence({ name, fields }: RugPull): string {
  return `Review the tool \`${plainText(name, 80)}\`: it changed ${nameList(fields, { max: 5 })}.`;
}

function sentences(title: string, { added, removed, modified }: Section): string[] {
  const parts: (readonly [string, readonly string[]])[] = [
    ['added', added],
    ['removed', removed],
    ['changed', modified.map(({ name }) => name)],
  ];
  const others = parts.flatMap(([, names]) => names);
  return parts.flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${title}: ${names.length} ${what}: ${nameList(names, { others })}.`],
  );
}
