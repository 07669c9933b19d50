import { childPath, type Finding, findingMaker, type MakeFinding } from '../finding.ts';
import { describeGiven } from '../input/describe-input.ts';
import { isObject, type JsonObject } from '../json.ts';
import { type FitOutput, type OutputType, outputFitter } from './fit-output.ts';

/** Rules about answers and the schemas that describe them, by code: how severe a breach is, and what the rule asks for. */
export const outputCodes = {
  OUT001: ['error', 'An output schema is inferred from an answer and its media type.'],
  OUT002: ['warning', 'An answer of a JSON media type is JSON.'],
  OUT003: ['info', 'An output schema describes the whole answer.'],
  OUT004: ['warning', 'An answer is what the output schema of its tool says.'],
  OUT005: ['error', 'A tool whose output is written into its file stands there as an object of its own.'],
} as const;

export type OutputCode = keyof typeof outputCodes;

/** Makes a finding of a rule about answers. */
export const outputFinding: MakeFinding<OutputCode> = findingMaker(outputCodes);

const maxFindings = 20;

const words: Readonly<Record<OutputType, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

/**
 * Checks an answer against a tool's `output.schema`. What does not fit is a warning with the place in the answer, such as
 * `$.items[0].price`: schemas are often inferred from a few answers, so a difference is worth knowing and no reason to
 * refuse the answer. At most 20 places, and a count of the rest.
 */
export function checkOutput(data: unknown, schema: unknown): Finding[] {
  return isObject(schema) ? outputCheck(schema as JsonObject)(data) : [];
}

/** Makes the same check for many answers of one tool. */
export function outputCheck(schema: JsonObject): (data: unknown) => Finding[] {
  const fit = outputFitter(schema);
  return (data) => findMisfits(data, fit);
}

function findMisfits(data: unknown, fit: FitOutput): Finding[] {
  const findings: Finding[] = [];
  let count = 0;
  fit(data, ({ keys, value, types }) => {
    count += 1;
    if (count > maxFindings) return;
    const path = keys.reduce<string>(childPath, '$');
    const message = `${path}: expected ${types.map((type) => words[type]).join(' or ')}, got ${describeGiven(value)}`;
    findings.push(outputFinding('OUT004', path, message));
  });
  const rest = count - findings.length;
  if (rest > 0) {
    findings.push(
      outputFinding(
        'OUT004',
        '$',
        `${rest} more ${rest === 1 ? 'value differs' : 'values differ'} from the output schema`,
      ),
    );
  }
  return findings;
}
