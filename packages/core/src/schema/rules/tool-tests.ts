import { childPath } from '../finding.ts';
import { checkValue as checkInputValue } from '../input/check-value.ts';
import { describeExpected, describeGiven, listWords } from '../input/describe-input.ts';
import { type Fields, isObject } from '../json.ts';
import { suggestWord } from '../nearest-word.ts';
import type { Place } from '../rule-report.ts';
import type { Input } from '../schema.ts';
import { expectsFailure, parseExpectation } from './expectation.ts';
import { textField } from './fields.ts';

interface TestsContext extends Place {
  inputs: readonly Input[];
}

const usualTests = 3;

/** Checks `tests`, by which a tool is tried out live. Existing schemas have few and inexact ones, so no finding stops a schema. */
export function checkToolTests(value: unknown, context: TestsContext): void {
  const { path, report } = context;
  const tests = Array.isArray(value) ? value : [];
  if (tests.length < usualTests) {
    const isNoList = value !== undefined && !Array.isArray(value);
    const message = isNoList ? `tests must be an array (${path})` : `${tests.length} of 3 tests (${path})`;
    const hint = "Add tests: [{ _description: '…', <parameter>: <value> }], so that the tool can be tested live.";
    report('TST001', `${path}.tests`, message, hint);
  }
  // Not `forEach`, which would skip the holes of an array.
  for (const [index, test] of tests.entries()) checkTest(test, childPath(`${path}.tests`, index), context);
  reportOneSidedEnums(tests.filter(isObject), context);
}

function checkTest(test: unknown, place: string, { inputs, report }: TestsContext): void {
  if (!isObject(test)) {
    report('TST005', place, `a test must be an object of values, got ${describeGiven(test)} (${place})`);
    return;
  }
  if (textField(test, '_description') === undefined) {
    report('TST002', place, `a test has no _description (${place})`);
  }
  if (test._expect !== undefined) parseExpectation(test._expect, { path: `${place}._expect`, report });
  if (expectsFailure(test._expect)) return;
  for (const [key, value] of Object.entries(test)) {
    if (!key.startsWith('_') && value !== undefined) checkValue(key, value, { inputs, report, path: place });
  }
  reportMissing(test, { inputs, report, path: place });
}

const maxCompared = 50;

function checkValue(key: string, value: unknown, { path: test, inputs, report }: TestsContext): void {
  const input = inputs.find((each) => namesOf(each).includes(key));
  const isJson = typeof value !== 'number' || Number.isFinite(value);
  const [fault] = input === undefined || value === null ? [] : checkInputValue(input.z, value).faults;
  if (isJson && input !== undefined && fault === undefined) return;
  const path = childPath(test, key);
  if (!isJson) {
    report('TST005', path, `this value cannot be written as JSON (${path})`);
  } else if (input === undefined) {
    const names = inputs.map(({ name }) => name);
    const takes = names.length === 0 ? 'It has no inputs.' : `Its inputs are ${listWords(names)}.`;
    const hint = suggestWord(key, names.slice(0, maxCompared)) ?? takes;
    report('TST006', path, `the tool has no input ${JSON.stringify(key)} (${path})`, hint);
  } else if (fault !== undefined) {
    const place = fault.at.reduce<string>(childPath, path);
    const isUnknown = fault.kind === 'unknown';
    const message = isUnknown
      ? 'unknown member'
      : `expected ${describeExpected(fault.z)}, got ${describeGiven(fault.value)}`;
    report('TST004', place, `${message} (${place})`, 'Calls with this value fail.');
  }
}

function reportMissing(test: Fields, { path, inputs, report }: TestsContext): void {
  const missing = inputs.filter((input) => !input.z.optional && !namesOf(input).some((name) => isGiven(test, name)));
  if (missing.length === 0) return;
  const names = listWords(missing.map(({ name }) => name));
  const hint = 'Add a value, or make the parameter optional().';
  report('TST003', path, `the test has no value for ${names}, which is required (${path})`, hint);
}

/** Tests that only ever use one value of an enum say nothing about the others. */
function reportOneSidedEnums(tests: readonly Fields[], { path, inputs, report }: TestsContext): void {
  if (tests.length < 2) return;
  for (const input of inputs) {
    const { members = [] } = input.z;
    if (members.length < 2 || members.some((member) => typeof member !== 'string')) continue;
    const given = tests.flatMap((test) =>
      namesOf(input)
        .filter((name) => isGiven(test, name))
        .map((name) => test[name]),
    );
    if (given.length < 2 || new Set(given).size > 1) continue;
    const message = `all tests use the same value for ${JSON.stringify(input.name)}, which has ${members.length} values (${path})`;
    const hint = `The values are ${listWords(members.filter((member) => typeof member === 'string'))}.`;
    report('TST007', `${path}.tests`, message, hint);
  }
}

function namesOf({ name, aliases }: Input): readonly string[] {
  return [name, ...aliases];
}

function isGiven(test: Fields, name: string): boolean {
  return Object.hasOwn(test, name) && test[name] !== undefined && test[name] !== null;
}
