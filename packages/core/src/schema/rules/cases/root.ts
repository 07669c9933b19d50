import type { RuleCase } from './rule-case.ts';

const skillsOnly = { tools: {}, skills: { 'find-things': { file: './skills/find-things.mjs' } } };

export const rootCases: readonly RuleCase[] = [
  {
    code: 'VAL015',
    severity: 'error',
    path: 'main.root',
    message: 'main.root is required',
    breaks: { root: undefined },
  },
  {
    // Existing schemas do this if a handler makes every URL.
    code: 'VAL015',
    severity: 'warning',
    path: 'main.root',
    message: 'main.root is required',
    breaks: { root: '' },
  },
  {
    code: 'VAL015',
    severity: 'info',
    path: 'main.root',
    message: 'main.root is required',
    breaks: { tools: undefined, root: undefined },
    others: ['VAL016'],
    // Nothing is asked of a root, an empty one included.
    keeps: { ...skillsOnly, root: '' },
  },
  {
    code: 'VAL015',
    severity: 'error',
    path: 'main.root',
    message: 'main.root must be text',
    breaks: { root: 5 },
  },
  {
    // Where nothing makes requests, no root is needed.
    code: 'VAL015',
    severity: 'warning',
    path: 'main.root',
    message: 'main.root must be text',
    breaks: { ...skillsOnly, root: null },
    keeps: { ...skillsOnly, root: undefined },
  },
  {
    code: 'VAL019',
    severity: 'error',
    path: 'main.root',
    message: 'main.root contains credentials',
    breaks: { root: 'https://me:secret@api.example.com' },
  },
  {
    code: 'VAL019',
    severity: 'warning',
    path: 'main.root',
    message: 'main.root contains credentials',
    breaks: { ...skillsOnly, root: 'https://me:secret@api.example.com' },
    keeps: { ...skillsOnly, root: 'https://api.example.com' },
  },
  {
    code: 'VAL019',
    severity: 'warning',
    path: 'main.root',
    message: 'main.root has a fragment, which hides the path of every tool',
    breaks: { root: 'https://api.example.com/v1#top' },
  },
  {
    code: 'VAL019',
    severity: 'warning',
    path: 'main.root',
    message: 'main.root is not an http(s) URL: "https:api.example.com/v1"',
    breaks: { root: 'https:api.example.com/v1' },
  },
  {
    code: 'VAL019',
    severity: 'warning',
    path: 'main.root',
    message: 'main.root is http: requests and secrets are sent unencrypted',
    breaks: { root: 'http://api.example.com' },
    keeps: { root: 'http://127.0.0.1:8080' },
  },
  {
    code: 'VAL019',
    severity: 'warning',
    path: 'main.root',
    message: 'main.root ends with a slash',
    breaks: { root: 'https://api.example.com/v1/' },
    keeps: { root: 'https://api.example.com/v1' },
  },
  {
    code: 'VAL027',
    severity: 'error',
    path: 'main.root',
    message: 'serverParams not declared: main.root uses {{API_KEY}}',
    breaks: { root: 'https://api.example.com/{{API_KEY}}' },
    keeps: { root: 'https://api.example.com/{{API_KEY}}', requiredServerParams: ['API_KEY'] },
  },
  {
    code: 'VAL056',
    severity: 'warning',
    path: 'main.root',
    message: '"{{API_KEY}" is not a placeholder; it is sent unchanged (main.root)',
    breaks: { root: 'https://api.example.com/{{API_KEY}', requiredServerParams: ['API_KEY'] },
    keeps: { root: 'https://api.example.com/{{API_KEY}}', requiredServerParams: ['API_KEY'] },
  },
];
