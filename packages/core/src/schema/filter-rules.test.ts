import { filterCodes, filterSchemas } from './filter-schemas.ts';
import type { Finding } from './finding.ts';
import { type RuleExamples, testRules } from './rules/fixtures/rule-examples.ts';

const tides = { namespace: 'tides', tags: ['sea'], tools: { getTides: {} } };
const failed = { status: false, main: null, findings: [], handlerMap: {} };

const filtering =
  (options: Record<string, unknown>): (() => Finding[]) =>
  () =>
    filterSchemas({ arrayOfSchemas: [tides], ...options }).findings;

const examples: RuleExamples<keyof typeof filterCodes> = {
  FLT001: [filtering({ arrayOfSchemas: [] }), filtering({})],
  FLT002: [filtering({ arrayOfSchemas: [tides, 'tides'] }), filtering({ arrayOfSchemas: [tides, tides] })],
  FLT003: [filtering({ includeNamespaces: 'tides' }), filtering({ includeNamespaces: ['tides'] })],
  FLT004: [filtering({ activateTags: ['tides.a.b'] }), filtering({ activateTags: ['tides.!getTides'] })],
  FLT005: [filtering({ activateTags: ['see'] }), filtering({ activateTags: ['sea'] })],
  FLT006: [filtering({ activateTags: ['tide.getTides'] }), filtering({ activateTags: ['tides.getTides'] })],
  FLT007: [filtering({ activateTags: ['tides.getTide'] }), filtering({ activateTags: ['tides.getTides'] })],
  FLT008: [filtering({ arrayOfSchemas: [failed, tides] }), filtering({ arrayOfSchemas: [tides] })],
  FLT009: [filtering({ excludeNamespaces: ['tide'] }), filtering({ excludeNamespaces: ['tides'] })],
  FLT010: [filtering({ excludeNamespaces: ['tides'] }), filtering({ activateTags: ['sea'] })],
};

testRules(examples, filterCodes);
