import { describe, expect, it } from 'vitest';
import { codeCases } from '../../fixtures/code-cases.ts';
import { type Code, codes } from './codes.ts';

const table = Object.keys(codes) as Code[];

describe('the table of codes', () => {
  it.each(table)('%s is found in its case, and no code outside of the table', async (code) => {
    const findings = await codeCases[code]();
    expect(findings.map((finding) => finding.code)).toContain(code);
    for (const finding of findings) expect(codes).toHaveProperty([finding.code]);
    // Severities differ from the table only where the table says so.
    for (const { code: found, severity } of findings) expect(severity).toBe(codes[found].severity);
  });

  it('has a case for every code, and no other cases', () => {
    expect(Object.keys(codeCases).sort()).toEqual([...table].sort());
  });

  it('contains no unused code', () => {
    const unused = ['VAL-007', 'VAL-008', 'VAL-009', 'PRB-001', 'PRB-002', 'PRB-003', 'AUTH-001'];
    expect(table.filter((code) => unused.includes(code))).toEqual([]);
  });
});
