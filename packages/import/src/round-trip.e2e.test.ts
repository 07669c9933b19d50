import { describe, expect, test } from 'vitest';
import { callEveryTool } from './fixtures/call-every-tool.ts';
import { hardDocument, hardDocuments } from './fixtures/hard-documents.ts';
import { parseDocument, readRealDocument, realDocuments } from './fixtures/real-documents.ts';

// Every document with its credentials: the mock is another program than ours, and asks for what the document says.
describe('every request satisfies the document', () => {
  // `node bench/import.ts` calls the tools of larger ones.
  const small = realDocuments.filter(({ tools }) => tools <= 200);
  test.each(small)('$name', async (real) => {
    const { tools, calls, satisfied, problems } = await callEveryTool(parseDocument(readRealDocument(real)));
    expect(tools).toBe(real.tools);
    expect(
      problems.filter((problem) => !real.unchecked?.some(({ operation }) => problem.startsWith(operation))),
    ).toEqual([]);
    expect(satisfied + problems.length).toBe(calls);
    expect(satisfied).toBeGreaterThan(0);
  });

  test.each(hardDocuments.filter(({ unchecked, tools }) => unchecked === undefined && tools))('$is', async (hard) => {
    const { options } = hard;
    const { calls, satisfied, problems } = await callEveryTool(hardDocument(hard), { ...options });
    expect(problems).toEqual([]);
    expect([satisfied, calls > 0]).toEqual([calls, true]);
  });
});
