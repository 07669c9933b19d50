import { type RuleCase, toolWith } from './rule-case.ts';

const place = 'main.tools.getThing';

export const toolCases: readonly RuleCase[] = [
  {
    code: 'VAL035',
    severity: 'error',
    path: place,
    message: `a tool must be an object (${place})`,
    breaks: { tools: { getThing: 'GET /thing' } },
  },
  {
    code: 'VAL032',
    severity: 'error',
    path: `${place}.method`,
    message: `route missing method (${place})`,
    breaks: toolWith({ method: undefined }),
  },
  {
    code: 'VAL032',
    severity: 'error',
    path: `${place}.method`,
    message: `method "FETCH" is not an HTTP method (${place})`,
    breaks: toolWith({ method: 'FETCH' }),
    keeps: toolWith({ method: 'DELETE' }),
  },
  {
    code: 'VAL032',
    severity: 'warning',
    path: `${place}.method`,
    message: `method "get" is read as GET (${place})`,
    breaks: toolWith({ method: 'get' }),
    keeps: toolWith({ method: 'GET' }),
  },
  {
    code: 'VAL034',
    severity: 'error',
    path: `${place}.description`,
    message: `tool getThing has no description (${place})`,
    breaks: toolWith({ description: '' }),
  },
  {
    code: 'VAL032',
    severity: 'error',
    path: `${place}.method`,
    message: `method must be text (${place})`,
    breaks: toolWith({ method: 5 }),
  },
  {
    code: 'VAL034',
    severity: 'error',
    path: `${place}.description`,
    message: `the description of tool getThing must be text (${place})`,
    breaks: toolWith({ description: ['One thing'] }),
  },
  {
    code: 'VAL037',
    severity: 'info',
    path: `${place}.async`,
    message: `async is reserved and does nothing yet (${place})`,
    breaks: toolWith({ async: true }),
  },
  {
    code: 'VAL039',
    severity: 'warning',
    path: `${place}.preload`,
    message: `preload must be an object; answers are not cached (${place})`,
    breaks: toolWith({ preload: 3600 }),
    keeps: toolWith({ preload: { enabled: true, ttl: 3600, description: 'Changes once a day' } }),
  },
  {
    code: 'VAL039',
    severity: 'warning',
    path: `${place}.preload.enabled`,
    message: `preload.enabled must be true or false; answers are not cached (${place})`,
    breaks: toolWith({ preload: { ttl: 3600 } }),
    keeps: toolWith({ preload: { enabled: false, ttl: 3600 } }),
  },
  {
    code: 'VAL039',
    severity: 'warning',
    path: `${place}.preload.ttl`,
    message: `preload.ttl must be a positive integer, in seconds; answers are not cached (${place})`,
    breaks: toolWith({ preload: { enabled: true, ttl: '1h' } }),
    keeps: toolWith({ preload: { enabled: true, ttl: 3600 } }),
  },
];
