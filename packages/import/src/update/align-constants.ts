import type { Region } from './regions.ts';

/**
 * Names the constants of the next output after those of the last one that have the same value: their names depend on which of them come
 * first, so that `limit` may become `limit2` although nothing else changed.
 *
 * @param kept Names that stay in the merged file with the values that they have there.
 */
export function alignConstants(
  next: readonly Region[],
  { base, kept }: { base: readonly Region[]; kept: ReadonlySet<string> },
): Region[] {
  const known = new Map(base.flatMap(({ key, code }) => (isConstant(key) ? [[code, nameOf(key)]] : [])));
  const own = next.filter(({ key }) => isConstant(key));
  const renamed = new Map<string, string>();
  const taken = new Set(kept);
  for (const region of own) {
    const name = nameOf(region.key);
    // Names do not depend on what else the constant uses: those come first.
    const same = [...known].find(([code, other]) => withName(codeWith(region, renamed), name, other) === code)?.[1];
    if (same === undefined || [...renamed.values()].includes(same)) continue;
    renamed.set(name, same);
    taken.add(same);
  }
  for (const { key } of own) {
    const name = nameOf(key);
    if (renamed.has(name)) continue;
    let free = name;
    for (let number = 2; taken.has(free); number++) free = `${name}${number}`;
    renamed.set(name, free);
    taken.add(free);
  }
  return next.map((region) => rename(region, renamed));
}

export function isConstant(key: string): boolean {
  return key.startsWith('const ');
}

function nameOf(key: string): string {
  return key.slice('const '.length);
}

/** The code of a constant, as it would be under another name. */
function withName(code: string, name: string, other: string): string {
  return code.replace(`const\n${name}\n`, () => `const\n${other}\n`);
}

function codeWith(region: Region, renamed: ReadonlyMap<string, string>): string {
  const words = new Map([...renamed].filter(([name, other]) => name !== other));
  if (words.size === 0 || !region.names.some(({ name }) => words.has(name))) return region.code;
  return region.code
    .split('\n')
    .map((word) => words.get(word) ?? word)
    .join('\n');
}

function rename(region: Region, renamed: ReadonlyMap<string, string>): Region {
  const changed = region.names.filter(({ name }) => (renamed.get(name) ?? name) !== name);
  if (changed.length === 0) return region;
  const text = changed.toReversed().reduce((before, { name, at, isShorthand }) => {
    const other = renamed.get(name) ?? name;
    return `${before.slice(0, at)}${isShorthand ? `${name}: ${other}` : other}${before.slice(at + name.length)}`;
  }, region.text);
  const key = isConstant(region.key) ? `const ${renamed.get(nameOf(region.key)) ?? nameOf(region.key)}` : region.key;
  const names = region.names.map((used) => ({ ...used, name: renamed.get(used.name) ?? used.name }));
  return { ...region, key, text, code: codeWith(region, renamed), names };
}
