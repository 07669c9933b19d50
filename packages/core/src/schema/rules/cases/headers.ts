import type { RuleCase } from './rule-case.ts';

export const headerCases: readonly RuleCase[] = [
  {
    code: 'VAL023',
    severity: 'warning',
    path: 'main.headers',
    message: 'main.headers is required',
    breaks: { headers: undefined },
  },
  {
    code: 'VAL023',
    severity: 'error',
    path: 'main.headers',
    message: 'main.headers must be an object of text',
    breaks: { headers: [{ Accept: 'application/json' }] },
    keeps: { headers: { Accept: 'application/json' } },
  },
  {
    code: 'VAL023',
    severity: 'error',
    path: 'main.headers["X Key"]',
    message: 'header "X Key" cannot be sent (main.headers["X Key"])',
    breaks: { headers: { 'X Key': 'a' } },
    keeps: { headers: { 'X-Key': 'a' } },
  },
  {
    code: 'VAL023',
    severity: 'error',
    path: 'main.headers.Accept',
    message: 'header "Accept" cannot be sent (main.headers.Accept)',
    breaks: { headers: { Accept: 'text/plain\r\nX-More: 1' } },
    keeps: { headers: { Accept: 'text/plain', 'X-Version': 2 } },
  },
  {
    code: 'VAL027',
    severity: 'error',
    path: 'main.headers.Authorization',
    message: 'serverParams not declared: header "Authorization" uses {{TOKEN}}',
    breaks: { headers: { Authorization: 'Bearer {{TOKEN}}' } },
    keeps: { headers: { Authorization: 'Bearer {{TOKEN}}' }, requiredServerParams: ['TOKEN'] },
  },
  {
    code: 'VAL056',
    severity: 'warning',
    path: 'main.headers.Authorization',
    message: '"{{}}" is not a placeholder; it is sent unchanged (main.headers.Authorization)',
    breaks: { headers: { Authorization: 'Bearer {{}}' } },
    keeps: { headers: { Authorization: 'Bearer {TOKEN}' } },
  },
];
