import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Finding, Severity } from './finding.ts';
import { collectFindings, createFindingList, limitFindings, maxFindings } from './finding-list.ts';

const finding = (severity: Severity, path: string): Finding => ({ code: 'VAL003', severity, path, message: path });
const severities = fc.array(fc.constantFrom<Severity>('error', 'warning', 'info'), { maxLength: 60 });
const ranks: readonly Severity[] = ['error', 'warning', 'info'];

describe('a list of findings', () => {
  test('keeps the most severe, in their order, and counts the rest', () => {
    fc.assert(
      fc.property(severities, fc.integer({ min: 1, max: 20 }), (given, limit) => {
        const all = given.map((severity, index) => finding(severity, String(index)));
        const findings = limitFindings(all, limit);
        if (all.length <= limit) {
          expect(findings).toEqual(all);
          return;
        }
        const gravest = ranks.flatMap((rank) => all.filter(({ severity }) => severity === rank)).slice(0, limit);
        const [last] = findings.splice(-1);
        expect(findings).toEqual(all.filter((one) => gravest.includes(one)));
        expect(last).toMatchObject({ code: 'VAL092', severity: 'info', omitted: all.length - limit });
      }),
    );
  });

  test('is the same after repeated limiting', () => {
    fc.assert(
      fc.property(severities, severities, (left, right) => {
        const all = [...left, ...right].map((severity, index) => finding(severity, String(index)));
        const parts = [all.slice(0, left.length), all.slice(left.length)];
        const once = limitFindings(all, 10);
        const twice = limitFindings(
          parts.flatMap((part) => limitFindings(part, 10)),
          10,
        );
        expect(twice).toEqual(once);
        expect(limitFindings(twice, 10)).toEqual(once);
      }),
    );
  });

  test('creates no more findings than it keeps', () => {
    const list = createFindingList(2);
    let made = 0;
    for (let index = 0; index < 10; index += 1)
      list.addOf('warning', () => {
        made += 1;
        return finding('warning', String(index));
      });
    expect(made).toBe(2);
    expect(list.toArray().map(({ message }) => message)).toEqual([
      '0',
      '1',
      '8 more findings are omitted; errors are listed first',
    ]);
  });
});

describe('rules with too many findings', () => {
  const run = (count: number) => {
    const list = createFindingList();
    let found = 0;
    const result = collectFindings(list, (report) => {
      for (; found < count; found += 1) report(finding('warning', String(found)));
      return 'read';
    });
    return { result, found, findings: list.toArray() };
  };

  test('are stopped, with an error that is listed', () => {
    const { result, found, findings } = run(1_000_000);
    expect(result).toBeUndefined();
    expect(found).toBe(2 * maxFindings);
    expect(findings).toHaveLength(maxFindings + 1);
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'VAL092', message: 'checking stopped after 2000 findings' },
    ]);
  });

  test('are not stopped before', () => {
    const { result, findings } = run(2 * maxFindings);
    expect(result).toBe('read');
    expect(findings.at(-1)).toMatchObject({ severity: 'info', omitted: maxFindings });
  });

  test('may throw their own errors', () => {
    const failing = () =>
      collectFindings(createFindingList(), () => {
        throw new RangeError('mine');
      });
    expect(failing).toThrow('mine');
  });
});
