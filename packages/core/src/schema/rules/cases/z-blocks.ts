import { type RuleCase, withParameter } from './rule-case.ts';

const place = 'main.tools.getThing.parameters[0].z';

/** Further ones stand in the tests of `parseZExpression`; here are the codes. */
export const zBlockCases: readonly RuleCase[] = [
  {
    code: 'VAL044',
    severity: 'error',
    path: `${place}.primitive`,
    message: `unknown z.primitive "date()" (${place}.primitive)`,
    breaks: withParameter({}, { primitive: 'date()' }),
    keeps: withParameter({}, { primitive: 'string()' }),
  },
  {
    code: 'VAL045',
    severity: 'warning',
    path: `${place}.options[0]`,
    message: `unknown option "email()"; it is ignored (${place}.options[0])`,
    breaks: withParameter({}, { options: ['email()', 'optional()'] }),
    keeps: withParameter({}, { options: ['min(3)', 'optional()'] }),
  },
  {
    code: 'VAL045',
    severity: 'warning',
    path: `${place}.options`,
    message: `default 500 is out of bounds: calls without a value send it, but calls that pass it fail (${place}.options)`,
    breaks: withParameter({}, { primitive: 'number()', options: ['max(100)', 'default(500)'] }),
    keeps: withParameter({}, { primitive: 'number()', options: ['max(100)', 'default(50)'] }),
  },
  {
    code: 'VAL045',
    severity: 'warning',
    path: `${place}.options[0]`,
    message: `option "default" has no parentheses; it is ignored (${place}.options[0])`,
    breaks: withParameter({}, { options: ['default', 'optional()'] }),
    keeps: withParameter({}, { options: ['default()', 'optional'] }),
  },
  {
    code: 'VAL046',
    severity: 'error',
    path: `${place}.primitive`,
    message: `enum() must not be empty (${place}.primitive)`,
    breaks: withParameter({}, { primitive: 'enum()' }),
    keeps: withParameter({}, { primitive: 'enum()', options: ['values(a,b)', 'optional()'] }),
  },
  {
    code: 'VAL047',
    severity: 'error',
    path: `${place}.options[0]`,
    message: `the shared list {{colours:name}} can only be used in an enum (${place}.options[0])`,
    breaks: withParameter({}, { options: ['default({{colours:name}})'] }),
    keeps: withParameter({}, { primitive: 'enum({{colours:name}})' }),
  },
];
