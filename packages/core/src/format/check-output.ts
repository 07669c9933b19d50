import { describeGiven } from './describe-input.ts';
import { childPath, type Finding } from './finding.ts';
import { type FitOutput, type OutputType, outputFitter } from './fit-output.ts';
import { isObject, type JsonObject } from './json.ts';
import { outputFinding } from './output-codes.ts';

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
