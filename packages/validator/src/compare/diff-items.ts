import { isPlainObject } from '../findings/plain-object.ts';
import { type FieldChange, valueChanges } from './value-changes.ts';

/** An item that differs between the snapshots. */
export interface Modified {
  name: string;
  changes: FieldChange[];
}

/** The changes of a section, sorted by name. */
export interface Section {
  added: string[];
  removed: string[];
  modified: Modified[];
}

export type Items = ReadonlyMap<string, unknown>;

/** What a run saw of named items, and what it can tell about them. */
export interface Sight {
  items: Items;
  /** Whether it saw enough to tell that an item is missing. */
  seesAbsence(name: string): boolean;
  /** Whether a value was really observed, and is not just a default of an incomplete run. */
  seesValue(name: string): boolean;
}

/** Compares what two runs saw. `unknown` lists items that differ, but that one of them did not see completely. */
export function diffItems(before: Sight, after: Sight): { section: Section; unknown: string[] } {
  const section: Section = { added: [], removed: [], modified: [] };
  const unknown: string[] = [];
  const [old, now] = [before.items, after.items];
  for (const name of [...new Set([...old.keys(), ...now.keys()])].sort()) {
    if (!old.has(name)) (before.seesAbsence(name) ? section.added : unknown).push(name);
    else if (!now.has(name)) (after.seesAbsence(name) ? section.removed : unknown).push(name);
    else {
      const changes = valueChanges(old.get(name), now.get(name));
      if (changes.length === 0) continue;
      if (before.seesValue(name) && after.seesValue(name)) section.modified.push({ name, changes });
      else unknown.push(name);
    }
  }
  return { section, unknown };
}

export function isEmpty({ added, removed, modified }: Section): boolean {
  return added.length + removed.length + modified.length === 0;
}

/** A duplicate must not hide the first item of its name. */
export function freeName(name: string, taken: Items): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name} (${count})`;
  return free;
}

export function fieldsOf(value: unknown): Items {
  return new Map(isPlainObject(value) ? Object.entries(value) : []);
}
