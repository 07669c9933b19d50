import type { Finding } from '../finding.ts';
import { referenceCodes } from '../finding-codes.ts';
import { type RuleExamples, testRules } from '../rules/fixtures/rule-examples.ts';
import { parseReference } from './parse-reference.ts';
import { resolveToolReference } from './resolve-tool-reference.ts';
import { nameTools } from './tool-names.ts';

const tools = [
  { namespace: 'tides', toolName: 'getTides', file: 'sea/tides.mjs' },
  { namespace: 'tides', toolName: 'getTides', file: 'sea/harbours.mjs' },
  { namespace: 'tides', toolName: 'listHarbours', file: 'sea/harbours.mjs' },
];

const parsing =
  (text: string, options: Parameters<typeof parseReference>[1] = {}): (() => Finding[]) =>
  () =>
    parseReference(text, options).findings;
const resolving =
  (text: string): (() => Finding[]) =>
  () =>
    resolveToolReference(text, tools).findings;

const examples: RuleExamples<keyof typeof referenceCodes> = {
  REF001: [parsing('get tides'), parsing('tides_getTides')],
  REF002: [parsing('../tides.mjs'), parsing('sea/tides.mjs')],
  REF003: [parsing('sea/tides.mjs::tols::getTides'), parsing('sea/tides.mjs::tool::getTides')],
  REF004: [parsing('sea/tides.mjs::tool::'), parsing('sea/tides.mjs::getTides')],
  REF005: [() => nameTools(tools).findings, () => nameTools(tools.slice(1)).findings],
  REF006: [resolving('tides/tool/getTide'), resolving('tides/tool/listHarbours')],
  REF007: [resolving('tides/tool/getTides'), resolving('sea/tides.mjs::tool::getTides')],
  REF008: [resolving('sea/tides.mjs::skill::getTides'), resolving('sea/tides.mjs::tool::getTides')],
  ID001: [parsing('getTides', { fullId: true }), parsing('tides/tool/getTides', { fullId: true })],
  ID002: [parsing('Tides/tool/getTides'), parsing('tide-gauges/tool/getTides')],
  ID003: [parsing('tides/tols/getTides'), parsing('tides/list/frames')],
  ID004: [parsing('tides/tool/'), parsing('tides/tool/getTides')],
  ID005: [parsing('tides/getTides'), parsing('tides/tool/getTides')],
  ID006: [parsing('tides/getTides', { fullId: true }), parsing('tides/tool/getTides', { fullId: true })],
};

testRules(examples, referenceCodes);
