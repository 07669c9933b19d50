import type { Report } from './finding.ts';
import { schemaFinding } from './finding-codes.ts';
import { isObject } from './json.ts';
import { reportUnknownFields } from './rules/fields.ts';
import { readHeaders } from './rules/headers.ts';
import { readIdentity } from './rules/identity.ts';
import { readPrompts } from './rules/prompts.ts';
import { readLibraries, readListReferences, readServerParams } from './rules/requirements.ts';
import { readResources } from './rules/resources.ts';
import { readRoot } from './rules/root.ts';
import { readSkills } from './rules/skills.ts';
import { readTools } from './rules/tools.ts';
import type { Schema } from './schema.ts';

const fields = [
  'namespace',
  'name',
  'description',
  'version',
  'docs',
  'tags',
  'root',
  'requiredServerParams',
  'requiredLibraries',
  'headers',
  'sharedLists',
  'tools',
  'routes',
  'resources',
  'skills',
  'prompts',
  'meta',
];

/**
 * Reads `main` (specification 2.1): checks every section, reports all that is wrong, and gives what the runtime needs.
 * What is broken is left out of the result, so use it only if no finding is an error.
 */
export function readSchema(main: unknown, report: Report): Schema | undefined {
  if (!isObject(main)) {
    const message = main === undefined ? 'main is missing' : 'main must be a plain object';
    report(
      schemaFinding(main === undefined ? 'VAL001' : 'VAL002', 'main', message, {
        hint: "Write export const main = { namespace: '…', name: '…', description: '…', version: '3.0.0', … }.",
      }),
    );
    return undefined;
  }
  reportUnknownFields(main, fields, { path: 'main', report });
  const identity = readIdentity(main, report);
  const requiredServerParams = readServerParams(main, report);
  const secrets = new Set(requiredServerParams);
  const hasTools = isObject(main.tools ?? main.routes) && Object.keys(Object(main.tools ?? main.routes)).length > 0;
  const root = readRoot(main, { secrets, hasTools, report });
  const headers = readHeaders(main, { secrets, report });
  const { version } = identity;
  return {
    ...identity,
    root: root.text,
    requiredServerParams,
    requiredLibraries: readLibraries(main, report),
    sharedLists: readListReferences(main, report),
    resources: readResources(main, { report }),
    prompts: [...readSkills(main, { report }), ...readPrompts(main, { report })],
    tools: readTools(main, { version, root: root.template, headers, secrets, report }),
  };
}
