import { expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import { ruleReport } from '../rule-report.ts';
import { parseSignature } from './signature.ts';

function hintFor(part: Readonly<Record<string, string>>): string | undefined {
  const findings: Finding[] = [];
  const signature = {
    ...{ type: 'hmac', algorithm: 'sha256', secret: '{{KEY}}', message: '{{body}}', encoding: 'hex' },
    ...{ in: 'header', name: 'X-Signature', ...part },
  };
  const report = ruleReport((finding) => findings.push(finding));
  parseSignature({ signature }, { secrets: new Set(['KEY']), report });
  return findings[0]?.hint;
}

test('an unknown placeholder of the message is told which parts of the request there are', () => {
  expect(hintFor({ message: '{{nope}}' })).toMatchInlineSnapshot(
    `"Add "nope" to main.requiredServerParams, or use one of {{timestamp}}, {{timestampMs}}, {{timestampIso}}, {{nonce}}, {{method}}, {{host}}, {{path}}, {{query}}, {{target}}, {{body}}."`,
  );
});

test('one of the prefix is told that the body is not there', () => {
  expect(hintFor({ prefix: '{{body}}' })).toMatchInlineSnapshot(
    `"Add "body" to main.requiredServerParams, or use one of {{timestamp}}, {{timestampMs}}, {{timestampIso}}, {{nonce}}."`,
  );
});
