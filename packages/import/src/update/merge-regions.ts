import { diff3Merge } from 'node-diff3';
import { alignConstants, isConstant } from './align-constants.ts';
import { type Region, splitTool } from './regions.ts';

/** Who is right where a person and the document changed the same lines. */
export type Preference = 'document' | 'file';

/** A place that a person and the document both changed. */
export interface MergeConflict {
  /** The key of the region. */
  key: string;
  /** In the file of the person, from 1. */
  line: number;
  /** The lines in the file; empty if the person removed them. */
  file: string;
  /** The lines in the new output; empty if the document no longer has them. */
  document: string;
}

export interface Merge {
  text: string;
  conflicts: MergeConflict[];
}

interface MergeInput {
  base: readonly Region[];
  current: readonly Region[];
  next: readonly Region[];
  /** Regions that the document did not change, whatever their text: constants may have moved. */
  isUnchanged: (key: string) => boolean;
  /** Regions that a person removed elsewhere. */
  isRemoved: (key: string) => boolean;
  /** Regions that a person works with elsewhere in the file, such as a tool with a handler. */
  isUsed: (key: string) => boolean;
  prefer?: Preference | undefined;
  /** Constants with other values in the new output, and their new texts, where they are not among the regions. */
  changedNames?: ReadonlyMap<string, string>;
}

type Three = { base?: Region | undefined; current?: Region | undefined; next?: Region | undefined };

/** Merges a file region by region, so that changes of one tool never meet those of another; within a region by lines. */
export function mergeRegions(input: MergeInput): Merge {
  const { base, current, prefer } = input;
  const next = alignConstants(input.next, { base, kept: keptNames(input) });
  const find = { base: byKey(base), current: byKey(current), next: byKey(next) };
  const keys = orderKeys(base, current, next);
  const threes = new Map(
    keys.map((key): [string, Three] => [
      key,
      { base: find.base.get(key), current: find.current.get(key), next: find.next.get(key) },
    ]),
  );
  const changedNames = input.changedNames ?? changedConstants(base, find.next);
  const conflicts: MergeConflict[] = [];
  const texts = new Map<string, string>();
  for (const [key, three] of threes) {
    if (isConstant(key)) continue;
    const text = mergeRegion(key, three, { ...input, changedNames }, conflicts);
    if (text !== undefined) texts.set(key, text);
  }
  // Backwards, because a constant uses those above it.
  const needed = namesIn(texts, threes);
  for (const [key, three] of [...threes].toReversed()) {
    if (!isConstant(key)) continue;
    const text = mergeConstant(key, three, { isNeeded: needed.has(key.slice('const '.length)), prefer }, conflicts);
    if (text === undefined) continue;
    texts.set(key, text);
    for (const { name } of [three.current, three.next].flatMap((region) => region?.names ?? [])) needed.add(name);
  }
  const written = keys.flatMap((key) => {
    const text = texts.get(key);
    return text === undefined ? [] : [{ key, text, ...threes.get(key) }];
  });
  const whole = input.changedNames === undefined ? conflicts.map((one) => withConstants(one, changedNames)) : conflicts;
  return { text: joinRegions(written, { current, next }), conflicts: whole };
}

/** A name alone does not say what the document wants. */
function withConstants(conflict: MergeConflict, changed: ReadonlyMap<string, string>): MergeConflict {
  const { file, document } = conflict;
  const used = [...changed].filter(([name, text]) => text !== '' && isNameIn(document, name) && !isNameIn(file, name));
  if (used.length === 0) return conflict;
  return { ...conflict, document: [document.trimEnd(), ...used.map(([, text]) => text)].join('\n') };
}

/** Neither a key nor text. */
function isNameIn(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$'"])${name.replaceAll('$', '\\$')}(?![\\w$'"]|\\s*:)`).test(text);
}

/** The text of a region after the merge; undefined if it has none. */
function mergeRegion(
  key: string,
  { base, current, next }: Three,
  { isUnchanged, isRemoved, isUsed, prefer, changedNames = new Map() }: MergeInput,
  conflicts: MergeConflict[],
): string | undefined {
  const conflict = (): string | undefined => {
    if (prefer === undefined) {
      conflicts.push({ key, line: current?.line ?? 1, file: current?.text ?? '', document: next?.text ?? '' });
    }
    return prefer === 'document' ? next?.text : current?.text;
  };
  if (current === undefined) return base === undefined && !isRemoved(key) ? next?.text : undefined;
  if (next === undefined) {
    if (base === undefined) return current.text;
    return base.code === current.code && !isUsed(key) ? undefined : conflict();
  }
  if (current.code === next.code) return current.text;
  if (base === undefined) return conflict();
  if (base.code === current.code) return next.text;
  if (isUnchanged(key)) return current.text;
  // A value in place of a constant does not follow the constant.
  const isDetached = base.names.some(
    ({ name }) => changedNames.has(name) && !current.names.some((used) => used.name === name),
  );
  if (base.code === next.code && !isDetached) return current.text;
  if (base.code === next.code && !key.startsWith('tool ')) return conflict();
  return mergeTool(key, { base, current, next }, { prefer, changedNames }, conflicts);
}

/** Merges a tool field by field: a new parameter does not meet the edited description above it. */
function mergeTool(
  key: string,
  three: { base: Region; current: Region; next: Region },
  { prefer, changedNames }: Pick<MergeInput, 'prefer'> & { changedNames: ReadonlyMap<string, string> },
  conflicts: MergeConflict[],
): string {
  const [base, current, next] = [three.base, three.current, three.next].map(splitTool);
  if (!key.startsWith('tool ') || base === undefined || current === undefined || next === undefined) {
    return mergeLines(key, three, prefer, conflicts);
  }
  const never = () => false;
  const rules = { isUnchanged: never, isRemoved: never, isUsed: never, prefer, changedNames };
  const merged = mergeRegions({ base, current, next, ...rules });
  conflicts.push(...merged.conflicts.map((one) => ({ ...one, key: key + one.key.replace(/^tool(?=\.)/, '') })));
  return merged.text;
}

/** Constants follow the regions that use them. One that a person edited is not dropped without a word. */
function mergeConstant(
  key: string,
  three: Three,
  { isNeeded, prefer }: { isNeeded: boolean; prefer: Preference | undefined },
  conflicts: MergeConflict[],
): string | undefined {
  const { base, current, next } = three;
  if (current === undefined) return isNeeded ? next?.text : undefined;
  const isEdited = base === undefined || base.code !== current.code;
  if (next === undefined) {
    if (base === undefined || isNeeded) return current.text;
    if (isEdited && prefer === undefined) {
      conflicts.push({ key, line: current.line, file: current.text, document: '' });
    }
    return isEdited && prefer === 'file' ? current.text : undefined;
  }
  if (base === undefined) return current.text;
  if (!isEdited) return isNeeded ? next.text : undefined;
  if (base.code === next.code) return current.text;
  return mergeLines(key, { base, current, next }, prefer, conflicts);
}

/** Merges texts by lines. */
export function mergeLines(
  key: string,
  { base, current, next }: { base: { text: string }; current: { text: string; line: number }; next: { text: string } },
  prefer: Preference | undefined,
  conflicts: MergeConflict[],
): string {
  const [own, before, after] = [current, base, next].map(({ text }) => text.split('\n')) as [
    string[],
    string[],
    string[],
  ];
  return diff3Merge(own, before, after, { excludeFalseConflicts: true })
    .flatMap(({ ok, conflict }) => {
      if (ok !== undefined) return ok;
      if (conflict === undefined) return [];
      const { a, aIndex, b } = conflict;
      if (prefer === undefined) {
        conflicts.push({ key, line: current.line + aIndex, file: a.join('\n'), document: b.join('\n') });
      }
      return prefer === 'document' ? b : a;
    })
    .join('\n');
}

/** The constants whose values differ in the new output, also through others that they use, and their texts there. */
function changedConstants(base: readonly Region[], next: ReadonlyMap<string, Region>): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { key, code, names } of base) {
    if (!isConstant(key)) continue;
    if (next.get(key)?.code !== code || names.some(({ name }) => changed.has(name))) {
      changed.set(key.slice('const '.length), next.get(key)?.text ?? '');
    }
  }
  return changed;
}

/** The names of what stays as a person wrote it, and means what it did: these constants keep their values. */
function keptNames({ base, current, next, isUnchanged }: MergeInput): Set<string> {
  const before = byKey(base);
  const after = byKey(next);
  const kept = new Set<string>();
  for (const region of current.toReversed()) {
    const { key, code, names } = region;
    const own = before.get(key);
    if (isConstant(key)) {
      if (own === undefined) kept.add(key.slice('const '.length));
      else if (!kept.has(key.slice('const '.length))) continue;
    } else if (own !== undefined && (own.code === code || !after.has(key) || !isUnchanged(key))) continue;
    for (const { name } of names) kept.add(name);
  }
  return kept;
}

/** The names that the merged regions use. */
function namesIn(texts: ReadonlyMap<string, string>, threes: ReadonlyMap<string, Three>): Set<string> {
  const names = [...texts].flatMap(([key, text]) => {
    const { current, next } = threes.get(key) ?? {};
    const source = [current, next].find((region) => region?.text === text);
    if (source !== undefined) return source.names;
    const isUsed = (name: string) => new RegExp(`(?<![\\w$'"])${name.replaceAll('$', '\\$')}(?![\\w$'"])`).test(text);
    return [current, next].flatMap((region) => region?.names ?? []).filter(({ name }) => isUsed(name));
  });
  return new Set(names.map(({ name }) => name));
}

/** In the order of the new output, or that of the file if a person changed it. What only the other has follows what it followed there. */
function orderKeys(base: readonly Region[], current: readonly Region[], next: readonly Region[]): string[] {
  const own = new Set(current.map(({ key }) => key));
  const before = base.map(({ key }) => key).filter((key) => own.has(key));
  const known = new Set(before);
  const isMoved = current.filter(({ key }) => known.has(key)).some(({ key }, index) => before[index] !== key);
  const [first, second] = isMoved ? [current, next] : [next, current];
  const keys = first.map(({ key }) => key);
  for (const [index, { key }] of second.entries()) {
    if (keys.includes(key)) continue;
    const above = second[index - 1];
    keys.splice(above === undefined ? 0 : keys.indexOf(above.key) + 1, 0, key);
  }
  return keys;
}

/** Puts regions together with the blank lines that they had, and none below a brace that had none. */
function joinRegions(
  regions: readonly ({ key: string; text: string } & Three)[],
  { current, next }: Pick<MergeInput, 'current' | 'next'>,
): string {
  const gaps = [current, next].map(
    (all) => new Map(all.map(({ key, gap }, index) => [key, { gap, isFirst: isOpening(all[index - 1]?.key) }])),
  );
  const opened = new Map(current.map(({ key }, index) => [key, current[index + 1]?.gap ?? '']));
  return regions
    .map(({ key, text }, index) => {
      const above = regions[index - 1]?.key;
      if (above === undefined) return text;
      if (isOpening(above)) return `${opened.get(above) ?? ''}${text}`;
      const places = gaps.map((all) => all.get(key));
      const gap = places.find((place) => place !== undefined && !place.isFirst)?.gap;
      return `${gap ?? (/^(tool|const|statement) /.test(key) ? '\n' : '')}${text}`;
    })
    .join('');
}

function isOpening(key: string | undefined): boolean {
  return key === undefined || key.endsWith(' {');
}

function byKey(regions: readonly Region[]): Map<string, Region> {
  return new Map(regions.map((region) => [region.key, region]));
}
