import { fieldCases } from './fields.ts';
import { headerCases } from './headers.ts';
import { identityCases } from './identity.ts';
import { outputCases } from './output.ts';
import { parameterCases } from './parameters.ts';
import { pathCases } from './path.ts';
import { requirementCases } from './requirements.ts';
import { rootCases } from './root.ts';
import type { RuleCase } from './rule-case.ts';
import { toolCases } from './tool.ts';
import { toolTestCases } from './tool-tests.ts';
import { toolsCases } from './tools.ts';
import { zBlockCases } from './z-blocks.ts';

/** The cases of the rules about `main` by the file that the rules are in. */
export const mainCases: Readonly<Record<string, readonly RuleCase[]>> = {
  'rules/identity': identityCases,
  'rules/fields': fieldCases,
  'rules/root': rootCases,
  'rules/headers': headerCases,
  'rules/requirements': requirementCases,
  'rules/tools': toolsCases,
  'rules/tool': toolCases,
  'rules/path': pathCases,
  'rules/parameters': parameterCases,
  'parse-z-expression': zBlockCases,
  'rules/output': outputCases,
  'rules/tool-tests': toolTestCases,
};
