import { partEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { distinct, field, isPlainObject, type PlainObject, textOrNull } from '../../findings/plain-object.ts';
import { exactText, nameList, plainText } from '../../findings/plain-text.ts';
import { modelTexts, shadowingNames, suspicionIn } from './poisoning.ts';
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
  problems: { code: QualityCode; detail: string }[];
}

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
  const seen = tools.map(asSeen);
  for (const tool of seen) judgeOne(tool);
  findDuplicates(seen);
  const shadows = shadowingNames(distinct(seen.map(({ name }) => name)));
  for (const tool of seen) {
    const shadowed = shadows.get(tool.name);
    if (shadowed !== undefined) note(tool, 'TOOL-022', `The name is taken for ${shadowed}`);
  }
  const tokens = seen.reduce((sum, tool) => sum + tool.tokens, 0);
  const poisoned = findPoison(seen, instructions);
  return {
    quality: { tokens, tools: worstFirst(seen) },
    findings: [...poisoned, ...qualityFindings(seen), ...costFinding(tokens, seen)],
  };
}

function asSeen(tool: PlainObject): SeenTool {
  const schema = field(tool, 'inputSchema');
  const description = textOrNull(field(tool, 'description')) ?? '';
  const name = String(field(tool, 'name'));
  const size = JSON.stringify({ name, description, schema }).length;
  return {
    ...{ tool, name, description, schema: isPlainObject(schema) ? schema : {} },
    ...{ tokens: Math.ceil(size / 4), problems: [] },
  };
}

function note(tool: SeenTool, code: QualityCode, detail: string): void {
  tool.problems.push({ code, detail });
}

const NAME = /^[\w-]{1,64}$/;

function judgeOne(seen: SeenTool): void {
  const { tool, name, description, schema } = seen;
  if (!hasText(description)) note(seen, 'TOOL-001', '');
  else if (repeatsName(description, name)) note(seen, 'TOOL-002', plainText(description, 60));
  const undescribed = undescribedParameters(schema);
  if (undescribed.length > 0) note(seen, 'TOOL-005', firstNames(undescribed));
  if (!NAME.test(name)) note(seen, 'TOOL-006', name.length > 64 ? `${name.length} characters` : '');
  // A tool without a schema is reported with the list.
  const refused = isPlainObject(field(tool, 'inputSchema')) ? refusedInSchema(schema) : [];
  if (refused.length > 0) note(seen, 'TOOL-007', refused.map((part) => plainText(part, 80)).join(', '));
  if (isDeepSchema(schema)) note(seen, 'TOOL-008', '');
  const annotations = field(tool, 'annotations');
  const isAnnotated = ['readOnlyHint', 'destructiveHint'].some((hint) => field(annotations, hint) !== undefined);
  if (!isAnnotated) note(seen, 'TOOL-009', '');
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

function repeatsName(description: string, name: string): boolean {
  if (description.length > MAX_NAME_LIKE) return false;
  const own = new Set(wordsOf(name));
  return wordsOf(description).every((word) => own.has(word) || FILLERS.has(word));
}

function findDuplicates(seen: readonly SeenTool[]): void {
  const described = seen.filter(({ description }) => hasText(description));
  const same = Map.groupBy(described, ({ description }) => description.trim().toLowerCase());
  for (const group of same.values()) {
    const names = distinct(group.map(({ name }) => name));
    if (names.length < 2) continue;
    // Only two of them can be named, so that a group of thousands takes linear time.
    const [first = '', second = ''] = names;
    for (const tool of group) note(tool, 'TOOL-003', `as ${nameList([tool.name === first ? second : first])}`);
  }
  const sets = described.slice(0, MAX_COMPARED).map((tool) => ({ tool, words: new Set(wordsOf(tool.description)) }));
  for (const [index, { tool, words }] of sets.entries()) {
    const near = sets.slice(0, index).find((other) => isNear(words, other.words));
    const isSame = tool.problems.some(({ code }) => code === 'TOOL-003');
    if (near !== undefined && !isSame) note(tool, 'TOOL-004', `like ${nameList([near.tool.name])}`);
  }
}

/** Whether nine of ten words are the same. Short texts differ by less. */
function isNear(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  if (words.size < 6 || words.symmetricDifference(others).size === 0) return false;
  return words.intersection(others).size / words.union(others).size >= 0.9;
}

function findPoison(seen: readonly SeenTool[], instructions: string | null): Finding[] {
  const findings: Finding[] = [];
  const counts = { 'TOOL-020': 0, 'TOOL-021': 0 };
  let left = MAX_CHARACTERS;
  const look = (texts: readonly string[], tool?: SeenTool): void => {
    const told = new Set<string>();
    for (const text of texts) {
      if (left <= 0) return;
      left -= text.length;
      const { order, hidden } = suspicionIn(text);
      for (const [code, passage] of [
        ['TOOL-020', order],
        ['TOOL-021', hidden],
      ] as const) {
        if (passage === undefined || told.has(code)) continue;
        told.add(code);
        if (tool !== undefined) note(tool, code, '');
        if (++counts[code] > MAX_MARKED) continue;
        const name = tool && exactText(tool.name, 80);
        const request = name === undefined ? 'The instructions of the server' : `The definition of ${name}`;
        const location = name === undefined ? 'instructions' : `tools.${name}`;
        findings.push(finding(code, location, passage, { evidence: partEvidence(request, text) }));
      }
    }
  };
  if (instructions !== null) look([instructions]);
  for (const one of seen) look(modelTexts(one.tool), one);
  for (const code of ['TOOL-020', 'TOOL-021'] as const) {
    const more = counts[code] - MAX_MARKED;
    if (more > 0) findings.push(finding(code, 'tools', `${more} more tools`));
  }
  return findings;
}

const IN_WORDS: Readonly<Partial<Record<QualityCode, string>>> = {
  'TOOL-001': 'No description',
  'TOOL-002': 'The description only repeats the name',
  'TOOL-003': 'The same description',
  'TOOL-004': 'Nearly the same description',
  'TOOL-005': 'Parameters without a description',
  'TOOL-006': 'Names that providers refuse',
  'TOOL-007': 'Input schemas that providers refuse',
  'TOOL-008': 'Deeply nested input schemas',
  'TOOL-009': 'No annotations',
  'TOOL-022': 'Names that shadow others',
};

/** One finding for each code, so that a server of many tools stays readable. */
function qualityFindings(seen: readonly SeenTool[]): Finding[] {
  return Object.entries(IN_WORDS).flatMap(([key, words]) => {
    const code = key as QualityCode;
    const found = seen.flatMap((tool) => {
      const problem = tool.problems.find((one) => one.code === code);
      return problem === undefined ? [] : [{ tool, detail: problem.detail }];
    });
    const [first] = found;
    if (first === undefined) return [];
    const shown = found.slice(0, 5).map(({ tool, detail }) => `${nameList([tool.name])}${detail && ` (${detail})`}`);
    const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : '';
    const evidence = partEvidence(`The definition of ${exactText(first.tool.name, 80)}`, first.tool.tool);
    return [finding(code, 'tools', `${words}: ${shown.join(', ')}${more}`, { evidence })];
  });
}

function costFinding(tokens: number, seen: readonly SeenTool[]): Finding[] {
  if (tokens <= MANY_TOKENS) return [];
  const costly = seen.toSorted((one, other) => other.tokens - one.tokens).slice(0, 3);
  const text = `The list takes about ${tokens} tokens; the largest tools are ${nameList(costly.map(({ name }) => name))}`;
  return [finding('TOOL-010', 'tools', text)];
}

/** Signs of poisoning weigh most, then what misleads a model, then taste. */
function weight({ problems }: SeenTool): number {
  const weights = problems.map(({ code }) => (code >= 'TOOL-020' ? 100 : TASTE.has(code) ? 1 : 10));
  return weights.reduce((sum, one) => sum + one, 0);
}

const TASTE: ReadonlySet<QualityCode> = new Set(['TOOL-004', 'TOOL-005', 'TOOL-008', 'TOOL-009']);

function worstFirst(seen: readonly SeenTool[]): ToolQuality['tools'] {
  return seen
    .filter(({ problems }) => problems.length > 0)
    .toSorted((one, other) => weight(other) - weight(one) || other.tokens - one.tokens)
    .slice(0, MAX_TOOLS_TOLD)
    .map(({ name, problems, tokens }) => ({ name, problems: distinct(problems.map(({ code }) => code)), tokens }));
}
