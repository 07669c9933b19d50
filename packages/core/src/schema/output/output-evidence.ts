import type { OutputType } from './check-output.ts';

/** The types seen at one position of an answer. All items of an array share one position. */
export interface Evidence {
  /** `integer` for numbers without a fraction. */
  types: Set<OutputType>;
  properties: Map<string, Evidence>;
  items?: Evidence;
}

/** The collected types, and whether some parts were skipped because there are too many. */
export interface CollectedEvidence {
  root: Evidence;
  omitted: { levels: boolean; size: boolean };
}

export interface EvidenceLimits {
  /** Levels of objects and arrays, the root being the first. */
  maxLevels: number;
  /**
   * Whether the values were parsed by `JSON.parse`, which loses the last digits of long integers that calls return as
   * text (`parseAnswerJson`). Such values then count as both types. Default false.
   */
  mayLackDigits?: boolean;
}

/** Objects with more properties are tables whose keys are data. */
const maxProperties = 200;
const maxPlaces = 2_000;
/** About 10 MB of JSON. */
const maxValues = 1_000_000;

/** Collects the types at each position of an answer. Properties are in the order in which they were first seen. */
export function collectEvidence(
  value: unknown,
  { maxLevels, mayLackDigits = false }: EvidenceLimits,
): CollectedEvidence {
  const root = emptyEvidence();
  const omitted = { levels: false, size: false };
  let places = 1;
  let values = 0;

  function collect(seen: unknown, evidence: Evidence, level: number): void {
    values += 1;
    if (values > maxValues) {
      omitted.size = true;
      return;
    }
    const type = seenTypeOf(seen);
    if (type === undefined) return;
    evidence.types.add(type);
    if (mayLackDigits && lacksDigits(seen)) evidence.types.add('string');
    if (Array.isArray(seen)) collectItems(seen, evidence, level);
    else if (type === 'object') collectProperties(seen as Record<string, unknown>, evidence, level);
  }

  function collectItems(items: readonly unknown[], evidence: Evidence, level: number): void {
    if (items.length === 0 || isTooDeep(level)) return;
    if (evidence.items === undefined && !takePlace()) return;
    evidence.items ??= emptyEvidence();
    for (const item of items) {
      if (values > maxValues) return;
      collect(item, evidence.items, level + 1);
    }
  }

  function collectProperties(value: Record<string, unknown>, evidence: Evidence, level: number): void {
    for (const key of Object.keys(value)) {
      if (values > maxValues || isTooDeep(level)) return;
      const known = evidence.properties.get(key);
      if (known === undefined && seenTypeOf(value[key]) === undefined) continue;
      if (known === undefined && (evidence.properties.size >= maxProperties || !takePlace())) {
        omitted.size = true;
        continue;
      }
      const child = known ?? emptyEvidence();
      evidence.properties.set(key, child);
      collect(value[key], child, level + 1);
    }
  }

  function isTooDeep(level: number): boolean {
    if (level >= maxLevels) omitted.levels = true;
    return level >= maxLevels;
  }

  function takePlace(): boolean {
    if (places >= maxPlaces) {
      omitted.size = true;
      return false;
    }
    places += 1;
    return true;
  }

  collect(value, root, 1);
  return { root, omitted };
}

function emptyEvidence(): Evidence {
  return { types: new Set(), properties: new Map() };
}

/** Whether a value is an inexact integer of at most 20 digits. */
function lacksDigits(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(Number(value)) < 1e20;
}

/** Undefined for what JSON leaves out. */
function seenTypeOf(value: unknown): OutputType | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'integer';
  const type = typeof value;
  return type === 'object' || type === 'string' || type === 'boolean' || type === 'number' ? type : undefined;
}
