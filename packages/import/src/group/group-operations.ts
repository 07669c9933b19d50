import { isObject } from '@schemakit/core/internal';
import type { OperationEntry, OperationPlan } from '../plan/plan-operation.ts';
import type { PreviousTool } from './match-previous.ts';

/** The tools of one file. */
export interface ToolGroup {
  /** The name of the file, without `.mjs`. */
  file: string;
  /** The tag or the part of the path that they share. */
  topic: string;
  plans: readonly OperationPlan[];
}

/**
 * Groups tools by their first tag, or the first part of their path; those with another server or other credentials apart. A group of more
 * than `limit` tools is divided by the following parts of the paths. The order of the document does not matter. Tools of an earlier import
 * stay in their files, in their order, as long as they share server and credentials.
 */
export function groupOperations(
  plans: readonly OperationPlan[],
  limit: number,
  previous: ReadonlyMap<OperationPlan, PreviousTool> = new Map(),
): ToolGroup[] {
  const sorted = plans.toSorted((left, right) => compare(sortKey(left), sortKey(right)));
  const byAccess = Map.groupBy(sorted, accessOf);
  const [usual] = [...byAccess].toSorted(
    ([one, { length: a }], [other, { length: b }]) => b - a || compare(one, other),
  );
  const known = knownGroups(previous, new Set(plans));
  const placed = new Set(known.flatMap(({ plans: members }) => members));
  const fresh = sorted.filter((plan) => !placed.has(plan) && !joinGroup(plan, known, limit));
  const taken = new Set(known.map(({ file }) => file));
  const groups = [...Map.groupBy(fresh, accessOf)]
    .toSorted(([one], [other]) => Number(other === usual?.[0]) - Number(one === usual?.[0]) || compare(one, other))
    .flatMap(([access, members]) => {
      const note = access === usual?.[0] ? [] : [accessWord(members[0])];
      return [...Map.groupBy(members, topicOf)].flatMap(([topic, same]) =>
        divide(same, limit, 0).map(({ parts, plans: some }) => {
          const words = [topic, ...parts].map(fileWord);
          const name = [...new Set(words), ...note].filter((word) => word !== '').join('-');
          return { file: uniqueName(name, taken), topic, plans: some };
        }),
      );
    });
  return [...known, ...groups].toSorted((left, right) => compare(left.file, right.file));
}

type KnownGroup = ToolGroup & { plans: OperationPlan[] };

/** The files of an earlier import. Of tools that no longer share their access, the larger part stays. */
function knownGroups(
  previous: ReadonlyMap<OperationPlan, PreviousTool>,
  plans: ReadonlySet<OperationPlan>,
): KnownGroup[] {
  const byFile = Map.groupBy(
    [...previous].filter(([plan]) => plans.has(plan)),
    ([, { file }]) => file,
  );
  return [...byFile].flatMap(([file, members]) => {
    const own = members.map(([plan]) => plan);
    const stay = largest(Map.groupBy(own, accessOf));
    const [first] = largest(Map.groupBy(stay, topicOf));
    return first === undefined ? [] : [{ file: file.replace(/\.mjs$/, ''), topic: topicOf(first), plans: stay }];
  });
}

function largest<Item>(groups: ReadonlyMap<string, Item[]>): Item[] {
  return [...groups.values()].toSorted((left, right) => right.length - left.length)[0] ?? [];
}

/** Puts a new tool into a known file of its topic that has room. */
function joinGroup(plan: OperationPlan, known: readonly KnownGroup[], limit: number): boolean {
  const group = known.find(
    ({ topic, plans: [first], plans: { length } }) =>
      first !== undefined && length < limit && topic === topicOf(plan) && accessOf(first) === accessOf(plan),
  );
  group?.plans.push(plan);
  return group !== undefined;
}

/** A file has one root, and one way to authenticate. The scopes of its tools are asked for together. */
function accessOf({ root, auth: { auth, headers, requiredServerParams } }: OperationPlan): string {
  return JSON.stringify([root, { ...auth, scopes: [] }, headers, requiredServerParams]);
}

function accessWord(plan: OperationPlan | undefined): string {
  const [secret] = plan?.auth.requiredServerParams ?? [];
  return secret === undefined ? 'public' : fileWord(secret.replace(/^[A-Z]+_/, ''));
}

interface Division {
  /** The parts of the path that tell it from the others. */
  parts: readonly string[];
  plans: readonly OperationPlan[];
}

function divide(plans: readonly OperationPlan[], limit: number, depth: number): Division[] {
  if (plans.length <= limit) return [{ parts: [], plans }];
  const byPart = [...Map.groupBy(plans, ({ entry }) => partsOf(entry)[depth] ?? '')];
  const deepest = Math.max(...plans.map(({ entry }) => partsOf(entry).length));
  if (byPart.length === 1) return depth < deepest ? divide(plans, limit, depth + 1) : chunks(plans, limit);
  const divisions = byPart.flatMap(([part, members]) =>
    divide(members, limit, depth + 1).map((each) => ({
      ...each,
      parts: part === '' ? each.parts : [part, ...each.parts],
    })),
  );
  // Neighbours share a file while there is room.
  const packed: Division[] = [];
  for (const division of divisions) {
    const last = packed.at(-1);
    if (last !== undefined && last.plans.length + division.plans.length <= limit) {
      packed[packed.length - 1] = { parts: last.parts, plans: [...last.plans, ...division.plans] };
    } else packed.push(division);
  }
  return packed;
}

function chunks(plans: readonly OperationPlan[], size: number): Division[] {
  const count = Math.ceil(plans.length / size);
  return Array.from({ length: count }, (_, index) => ({
    parts: [],
    plans: plans.slice(index * size, (index + 1) * size),
  }));
}

function partsOf({ path, parts }: OperationEntry): readonly string[] {
  return parts ?? segmentsOf(path);
}

/** The parts of a path that are words; versions and `api` say nothing. */
function segmentsOf(path: string): string[] {
  return path
    .split(/[/?#]/)
    .filter(
      (segment) => segment !== '' && !/[{}]/.test(segment) && !/^(api|apis|rest|v\d[\w.]*|\d[\d.]*)$/i.test(segment),
    );
}

function topicOf({ entry }: OperationPlan): string {
  const { tags } = entry.operation.value;
  const [tag] = Array.isArray(tags) ? tags : [];
  const named = isObject(tag) ? tag.name : tag;
  return typeof named === 'string' && fileWord(named) !== '' ? named : (segmentsOf(entry.path)[0] ?? 'root');
}

function fileWord(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase();
}

function uniqueName(name: string, taken: Set<string>): string {
  const short = (name || 'api').slice(0, 60).replace(/-+$/, '');
  let unique = short;
  for (let number = 2; taken.has(unique); number++) unique = `${short}-${number}`;
  taken.add(unique);
  return unique;
}

const order = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

function sortKey({ entry: { path, method } }: OperationPlan): string {
  return `${path} ${order.indexOf(method)}`;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
