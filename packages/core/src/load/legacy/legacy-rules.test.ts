import { analyzeModule } from '../../module/analyze-module.ts';
import type { Finding } from '../../schema/finding.ts';
import { legacyCodes } from '../../schema/finding-codes.ts';
import { adaptLegacy } from '../../schema/legacy/adapt-legacy.ts';
import { type RuleExamples, testRules } from '../../schema/rules/fixtures/rule-examples.ts';
import { migrateSource } from './migrate-source.ts';
import { readLegacyModule } from './read-legacy-module.ts';

const route = { requestMethod: 'GET', description: 'Tides', route: '/tides', parameters: [], tests: [], modifiers: [] };
const schema = {
  namespace: 'tides',
  name: 'Tides',
  description: 'When the sea is high',
  flowMCP: '1.2.0',
  root: 'https://tides.example.com',
  requiredServerParams: [],
  headers: {},
  routes: { getTides: route },
  handlers: {},
};
const key = { position: { key: 'key', value: '{{TIDES_KEY}}', location: 'query' } };

const adapting =
  (legacySchema: unknown): (() => Finding[]) =>
  () =>
    adaptLegacy({ legacySchema }).findings;
const routed = (parts: object) => ({ ...schema, routes: { getTides: { ...route, ...parts } } });
const keyed = { ...routed({ parameters: [key] }), headers: { 'x-key': '{{TIDES_KEY}}' } };
const migrating =
  (text: string): (() => Finding[]) =>
  () =>
    migrateSource(text, { file: 'schema.mjs' }).findings;
const reading =
  (before: string): (() => Promise<readonly Finding[]>) =>
  async () =>
    (
      await readLegacyModule(
        analyzeModule(`${before}\nexport const schema = ${JSON.stringify(schema)};`, { file: 'schema.mjs' }),
      )
    )?.findings ?? [];

const format2 = "export const main = { version: '2.0.0', routes: {} };";
const format3 = "export const main = { version: '3.0.0', tools: {} };";

const examples: RuleExamples<keyof typeof legacyCodes> = {
  LEG001: [adapting(schema), migrating(format3)],
  LEG002: [adapting({ ...schema, namespace: 'Tides2' }), adapting(schema)],
  LEG003: [adapting({ ...schema, root: undefined }), adapting(schema)],
  LEG004: [adapting(keyed), adapting({ ...keyed, requiredServerParams: ['TIDES_KEY'] })],
  LEG005: [
    adapting(routed({ modifiers: [{ phase: 'post', handlerName: 'round' }] })),
    adapting({
      ...routed({ modifiers: [{ phase: 'post', handlerName: 'round' }] }),
      handlers: { round: async (context: object) => context },
    }),
  ],
  LEG006: [adapting(routed({ route: 'tides' })), adapting(schema)],
  LEG007: [adapting({ ...schema, tags: [1n] }), adapting(schema)],
  LEG008: [reading("import { frames } from './frames.mjs';"), reading("const frames = ['chart', 'sea'];")],
  MIG001: [migrating(format2), migrating(format3)],
  MIG002: [migrating(format3), migrating(format2)],
  MIG003: [migrating(`export const schema = ${JSON.stringify(schema)};`), migrating(format2)],
  MIG004: [migrating('export const list = {};'), migrating(format2)],
  MIG005: [migrating("export const main = { version: '2.0.0', ...(await routes()) };"), migrating(format2)],
};

testRules(examples, legacyCodes);
