import type { Finding } from './finding.ts';
import { hashCodes, hashForms, verifyHash } from './hash.ts';
import { type RuleExamples, testRules } from './rules/fixtures/rule-examples.ts';

const main = { namespace: 'tides', version: '3.0.0', tools: {} };
const hash = hashForms({ main }).canonical ?? '';

const verifying =
  (options: Parameters<typeof verifyHash>[0]): (() => Finding[]) =>
  () =>
    verifyHash(options).findings;

const examples: RuleExamples<keyof typeof hashCodes> = {
  HSH001: [verifying({ main, hash: 'sha256:12' }), verifying({ main, hash })],
  HSH002: [verifying({ main: { ...main, name: 'Tides' }, hash }), verifying({ main, hash })],
  HSH003: [verifying({ main: { ...main, name: 1n }, hash }), verifying({ main, hash })],
};

testRules(examples, hashCodes);
