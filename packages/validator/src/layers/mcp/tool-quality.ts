import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { distinct, field, isPlainObject, type PlainObject, textOrNull } from '../../findings/plain-object.ts';
import { exactText, nameList, plainText } from '../../findings/plain-text.ts';
import { modelTexts, type Poison, poisonIn, shadowingNames } from './poisoning.ts';
import type { QualityCode } from './quality-codes.ts';
import { hasText, isDeepSchema, refusedInSchema, undescribedParameters } from './schema-problems.ts';

/** How a model sees the tools. */
export interface ToolQuality extends PlainObject {
  /** About how many tokens the whole list takes in each request to a model: a quarter of its characters. */
  tokens: number;
  /** The worst first; only tools with problems. */
  tools: { name: string; problems: string[]; tokens: number }[];
}

interface SeenTool {
  tool: PlainObject;
  name: string;
  description: string;
  schema: PlainObject;
  tokens: number;
  poison: readonly Poison[];
  /** The names of tools of the same description, and of nearly the same; and what the own name is taken for. */
  twin?: string;
  near?: string;
  shadows?: string;
  problems: QualityCode[];
  weight: number;
}

/** A problem that a tool has if `look` gives true, or a detail. */
interface Check {
  code: QualityCode;
  weight: number;
  words: string;
  look(tool: SeenTool): boolean | string | undefined;
}

const NAME = /^[\w-]{1,64}$/;

/** What misleads a model weighs more than taste, and signs of poisoning most. */
const CHECKS: readonly Check[] = [
  { code: 'TOOL-001', weight: 10, words: 'No description', look: ({ description }) => !hasText(description) },
  { code: 'TOOL-002', weight: 10, words: 'The description only repeats the name', look: repeatedName },
  { code: 'TOOL-003', weight: 10, words: 'The same description', look: ({ twin }) => twin && `as ${twin}` },
  { code: 'TOOL-004', weight: 1, words: 'Nearly the same description', look: ({ near }) => near && `like ${near}` },
  {
    code: 'TOOL-005',
    weight: 1,
    words: 'Parameters without a description',
    look: ({ schema }) => firstNames(undescribedParameters(schema)),
  },
  {
    code: 'TOOL-006',
    weight: 10,
    words: 'Names that providers refuse',
    look: ({ name }) => !NAME.test(name) && (name.length <= 64 || `${name.length} characters`),
  },
  { code: 'TOOL-007', weight: 10, words: 'Input schemas that providers refuse', look: refusedParts },
  { code: 'TOOL-008', weight: 1, words: 'Deeply nested input schemas', look: ({ schema }) => isDeepSchema(schema) },
  { code: 'TOOL-009', weight: 1, words: 'No annotations', look: ({ tool }) => !isAnnotated(tool) },
  { code: 'TOOL-022', weight: 100, words: 'Names that shadow others', look: ({ shadows }) => shadows },
];
const POISON_WEIGHT = 100;

const MAX_TOOLS_TOLD = 50;
/** Marked texts in findings of one code; more say only how many there are. */
const MAX_MARKED = 20;
/** Comparing each description with each other takes time. */
const MAX_COMPARED = 200;
const MAX_CHARACTERS = 2_000_000;
/** A tenth of the context of many models. */
const MANY_TOKENS = 20_000;

/** Judges the tools, without calling them. `instructions` are those of the server. */
export function judgeTools(
  tools: readonly PlainObject[],
  instructions: string | null,
): { quality: ToolQuality; findings: Finding[] } {
  const seen = seenTools(tools);
  compareDescriptions(seen);
  const shadows = shadowingNames(distinct(seen.map(({ name }) => name)));
  for (const tool of seen) {
    const shadowed = shadows.get(tool.name);
    if (shadowed !== undefined) tool.shadows = `The name is taken for ${shadowed}`;
  }
  const judged = CHECKS.map((check) => ({
    ...check,
    found: seen.flatMap((tool) => {
      const detail = check.look(tool);
      return detail ? [{ tool, detail: detail === true ? '' : detail }] : [];
    }),
  }));
  for (const { code, weight, found } of judged) for (const { tool } of found) note(tool, code, weight);
  const tokens = seen.reduce((sum, tool) => sum + tool.tokens, 0);
  return {
    quality: { tokens, tools: worstFirst(seen) },
    findings: [
      ...poisonFindings(seen, poisonIn([instructions ?? ''])),
      ...judged.flatMap(qualityFinding),
      ...costFinding(tokens, seen),
    ],
  };
}

function seenTools(tools: readonly PlainObject[]): SeenTool[] {
  let left = MAX_CHARACTERS;
  return tools.map((tool) => {
    const schema = field(tool, 'inputSchema');
    const description = textOrNull(field(tool, 'description')) ?? '';
    const name = String(field(tool, 'name'));
    const tokens = Math.ceil(JSON.stringify({ name, description, schema }).length / 4);
    const texts = left > 0 ? modelTexts(tool) : [];
    left -= texts.reduce((sum, text) => sum + text.length, 0);
    const poison = poisonIn(texts);
    const seen = { tool, name, description, schema: isPlainObject(schema) ? schema : {}, tokens, poison };
    return { ...seen, problems: poison.map(({ code }) => code), weight: poison.length * POISON_WEIGHT };
  });
}

function note(tool: SeenTool, code: QualityCode, weight: number): void {
  tool.problems.push(code);
  tool.weight += weight;
}

/** A tool without a schema is reported with the list. */
function refusedParts({ tool, schema }: SeenTool): string {
  const refused = isPlainObject(field(tool, 'inputSchema')) ? refusedInSchema(schema) : [];
  return refused.map((part) => plainText(part, 80)).join(', ');
}

function isAnnotated(tool: PlainObject): boolean {
  const annotations = field(tool, 'annotations');
  return ['readOnlyHint', 'destructiveHint'].some((hint) => field(annotations, hint) !== undefined);
}

/** Looks only at the names that it shows: there may be 100,000. */
function firstNames(names: readonly string[]): string {
  const shown = nameList(names.slice(0, 3));
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

/** Words that add nothing to a name. */
const FILLERS: ReadonlySet<string> = new Set(
  'a an and by for from in is it its of on or the this that to with tool function method api endpoint call calls use uses used'.split(
    ' ',
  ),
);

/** The words of a text or a name in camelCase or snake_case, without the ends of plurals. */
function wordsOf(text: string): string[] {
  const apart = text.slice(0, 2000).replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ');
  return (apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(?<=..)e?s$/, ''));
}

/** A longer text says more than a name. */
const MAX_NAME_LIKE = 200;

function repeatedName({ description, name }: SeenTool): string | undefined {
  if (!hasText(description) || description.length > MAX_NAME_LIKE) return undefined;
  const own = new Set(wordsOf(name));
  const isRepeated = wordsOf(description).every((word) => own.has(word) || FILLERS.has(word));
  return isRepeated ? plainText(description, 60) : undefined;
}

function compareDescriptions(seen: readonly SeenTool[]): void {
  const described = seen.filter(({ description }) => hasText(description));
  const same = Map.groupBy(described, ({ description }) => description.trim().toLowerCase());
  for (const group of same.values()) {
    const names = distinct(group.map(({ name }) => name));
    if (names.length < 2) continue;
    // Only two of them can be named, so that a group of thousands takes linear time.
    const [first = '', second = ''] = names;
    for (const tool of group) tool.twin = nameList([tool.name === first ? second : first]);
  }
  const sets = described.slice(0, MAX_COMPARED).map((tool) => ({ tool, words: new Set(wordsOf(tool.description)) }));
  for (const [index, { tool, words }] of sets.entries()) {
    const near = sets.slice(0, index).find((other) => isNear(words, other.words));
    if (near !== undefined && tool.twin === undefined) tool.near = nameList([near.tool.name]);
  }
}

/** Whether nine of ten words are the same. Short texts differ by less. */
function isNear(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  if (words.size < 6 || words.symmetricDifference(others).size === 0) return false;
  return words.intersection(others).size / words.union(others).size >= 0.9;
}

/** Marks what the instructions and the tools hide from people. */
function poisonFindings(seen: readonly SeenTool[], instructions: readonly Poison[]): Finding[] {
  const poisoned = [
    ...instructions.map((poison) => ({ poison, name: undefined })),
    ...seen.flatMap(({ name, poison }) => poison.map((one) => ({ poison: one, name: exactText(name, 80) }))),
  ];
  const byCode = Map.groupBy(poisoned, ({ poison }) => poison.code);
  return [...byCode].flatMap(([code, all]) => [
    ...all.slice(0, MAX_MARKED).map(({ poison, name }) => {
      const request = name === undefined ? 'The instructions of the server' : `The definition of ${name}`;
      const location = name === undefined ? 'instructions' : `tools.${name}`;
      return finding(code, location, poison.passage, { evidence: partEvidence(request, poison.text) });
    }),
    ...(all.length > MAX_MARKED ? [finding(code, 'tools', `${all.length - MAX_MARKED} more tools`)] : []),
  ]);
}

/** One finding for each code, so that a server of many tools stays readable. */
function qualityFinding({
  code,
  words,
  found,
}: Check & { found: readonly { tool: SeenTool; detail: string }[] }): Finding[] {
  const [first] = found;
  if (first === undefined) return [];
  const shown = found.slice(0, 5).map(({ tool, detail }) => `${nameList([tool.name])}${detail && ` (${detail})`}`);
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
  const evidence = partEvidence(`The definition of ${exactText(first.tool.name, 80)}`, first.tool.tool);
  return [finding(code, 'tools', `${words}: ${shown.join(', ')}${more}`, { evidence })];
}

function costFinding(tokens: number, seen: readonly SeenTool[]): Finding[] {
  if (tokens <= MANY_TOKENS) return [];
  const costly = seen.toSorted((one, other) => other.tokens - one.tokens).slice(0, 3);
  const text = `The list takes about ${tokens} tokens; the largest tools are ${nameList(costly.map(({ name }) => name))}`;
  return [finding('TOOL-010', 'tools', text)];
}

function worstFirst(seen: readonly SeenTool[]): ToolQuality['tools'] {
  return seen
    .filter(({ problems }) => problems.length > 0)
    .toSorted((one, other) => other.weight - one.weight || other.tokens - one.tokens)
    .slice(0, MAX_TOOLS_TOLD)
    .map(({ name, problems, tokens }) => ({ name, problems, tokens }));
}
