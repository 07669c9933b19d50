import type { Finding } from '@schemakit/core';
import { isObject, suggestWord } from '@schemakit/core/internal';
import { type ConfigCode, configFinding } from './config-codes.ts';

/** What is wrong with a value, or with a part of it. */
export interface Fault {
  /** Where in the value, such as `.properties.name`. */
  place: string;
  /** What its message says after the place. */
  problem: string;
  hint?: string | undefined;
  /** Default `AGS001`. */
  code?: ConfigCode;
}

/** What a setting must be. */
export interface Rule {
  expected: string;
  fits: (value: unknown) => boolean;
  isRequired?: boolean;
  hint?: string;
  /** What is wrong inside a value that fits. `siblings` are the settings beside it. */
  faults?: (value: unknown, siblings: Readonly<Record<string, unknown>>) => readonly Fault[];
}

export type Rules = Readonly<Record<string, Rule>>;

/** What is wrong with an object by the rules of its fields. */
export function fieldFaults(value: unknown, rules: Rules): Fault[] {
  if (!isObject(value)) return [{ place: '', problem: 'must be an object' }];
  const names = Object.keys(rules);
  const others = Object.keys(value).filter((key) => !Object.hasOwn(rules, key) && value[key] !== undefined);
  const unknown = others.map((key): Fault => {
    const hint = suggestWord(key, names) ?? `There are: ${names.join(', ')}.`;
    return { code: 'AGS002', place: `.${key}`, problem: 'is not a setting', hint };
  });
  return [
    ...unknown,
    ...Object.entries(rules).flatMap(([key, rule]) => within(`.${key}`, ruleFaults(value, key, rule))),
  ];
}

function ruleFaults(
  siblings: Readonly<Record<string, unknown>>,
  key: string,
  { expected, fits, faults, hint, isRequired = false }: Rule,
): readonly Fault[] {
  const { [key]: value } = siblings;
  if (value === undefined) return isRequired ? [{ place: '', problem: `is required: ${expected}`, hint }] : [];
  return fits(value) ? (faults?.(value, siblings) ?? []) : [{ place: '', problem: `must be ${expected}`, hint }];
}

/** The faults of the items of an array. */
export function itemFaults(items: unknown, faultsOf: (item: unknown) => readonly Fault[]): Fault[] {
  return (Array.isArray(items) ? items : []).flatMap((item, index) => within(`[${index}]`, faultsOf(item)));
}

/** Faults of a part as faults of the whole. */
export function within(place: string, faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => ({ ...fault, place: place + fault.place }));
}

/** Findings about settings, which are called `whole` where all of them are meant. */
export function faultFindings(faults: readonly Fault[], whole = 'settings'): Finding[] {
  return faults.map(({ place, problem, hint, code = 'AGS001' }) => {
    const path = place.replace(/^\./, '') || whole;
    return configFinding(code, path, `${path} ${problem}`, hint);
  });
}
