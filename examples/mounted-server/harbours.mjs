export const main = {
  namespace: 'harbours',
  name: 'Harbours',
  description: 'Where ships can lie.',
  version: '3.0.0',
  root: 'http://127.0.0.1:4853',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  tools: {
    listHarbours: { method: 'GET', path: '/harbours', description: 'List all harbours.', parameters: [] },
  },
};
