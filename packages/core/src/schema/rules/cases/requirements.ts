import type { RuleCase } from './rule-case.ts';

const reference = { ref: 'colours', version: '1.0.0' };

export const requirementCases: readonly RuleCase[] = [
  {
    code: 'VAL022',
    severity: 'warning',
    path: 'main.requiredServerParams',
    message: 'main.requiredServerParams is required',
    breaks: { requiredServerParams: undefined },
  },
  {
    code: 'VAL022',
    severity: 'error',
    path: 'main.requiredServerParams',
    message: 'main.requiredServerParams must be an array of names',
    breaks: { requiredServerParams: 'API_KEY' },
    keeps: { requiredServerParams: ['API_KEY'] },
  },
  {
    code: 'VAL025',
    severity: 'warning',
    path: 'main.requiredLibraries',
    message: 'main.requiredLibraries is required',
    breaks: { requiredLibraries: undefined },
  },
  {
    code: 'VAL025',
    severity: 'warning',
    path: 'main.requiredLibraries',
    message: 'main.requiredLibraries must be an array of names',
    breaks: { requiredLibraries: { ethers: true } },
    keeps: { requiredLibraries: ['ethers'] },
  },
  {
    code: 'VAL024',
    severity: 'error',
    path: 'main.sharedLists',
    message: 'main.sharedLists must be an array of references',
    breaks: { sharedLists: reference },
    keeps: { sharedLists: [reference, 'ranges'] },
  },
  {
    code: 'VAL070',
    severity: 'error',
    path: 'main.sharedLists[0]',
    message: 'a shared list reference needs ref, the name of the list (main.sharedLists[0])',
    breaks: { sharedLists: [{ version: '1.0.0' }] },
    keeps: { sharedLists: [reference] },
  },
  {
    code: 'VAL071',
    severity: 'warning',
    path: 'main.sharedLists[0].version',
    message: "shared list 'colours' is referenced without a version (main.sharedLists[0])",
    breaks: { sharedLists: [{ ref: 'colours' }] },
    keeps: { sharedLists: [reference] },
  },
  {
    code: 'VAL071',
    severity: 'warning',
    path: 'main.sharedLists[0].version',
    message: 'version "latest" of shared list \'colours\' is not a version such as 1.0.0 (main.sharedLists[0])',
    breaks: { sharedLists: [{ ref: 'colours', version: 'latest' }] },
    keeps: { sharedLists: [reference] },
  },
  {
    code: 'VAL074',
    severity: 'warning',
    path: 'main.sharedLists[0].filter',
    message: 'the filter is ignored: it needs key and one of exists, value or in (main.sharedLists[0].filter)',
    breaks: { sharedLists: [{ ...reference, filter: { exists: true } }] },
    keeps: { sharedLists: [{ ...reference, filter: { key: 'alias', exists: true } }] },
  },
  {
    code: 'VAL074',
    severity: 'warning',
    path: 'main.sharedLists[0].filter',
    message: 'the filter has several conditions: value is used, not in (main.sharedLists[0].filter)',
    breaks: { sharedLists: [{ ...reference, filter: { key: 'alias', in: ['red', 'blue'], value: 'red' } }] },
    keeps: { sharedLists: [{ ...reference, filter: { key: 'alias', in: ['red', 'blue'] } }] },
  },
  {
    code: 'VAL076',
    severity: 'warning',
    path: 'main.sharedLists[0]',
    message: "shared list 'colours' is referenced twice; only the last reference is used (main.sharedLists[0])",
    breaks: {
      sharedLists: [
        { ...reference, filter: { key: 'alias', value: 'red' } },
        { ...reference, filter: { key: 'alias', value: 'blue' } },
      ],
    },
    keeps: { sharedLists: [reference, { ...reference, ref: 'shapes' }] },
  },
];
