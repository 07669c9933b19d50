export const main = {
  namespace: 'tides',
  name: 'Tide tables',
  description: 'High and low water at three harbours.',
  version: '3.0.0',
  docs: ['https://tides.example.com/docs'],
  root: 'http://127.0.0.1:4849',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  tools: {
    getTides: {
      method: 'GET',
      path: '/harbours/{{harbour}}/tides',
      description: 'Get the times and heights of the next high and low water at a harbour.',
      parameters: [
        {
          position: { key: 'harbour', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'enum(brest,cuxhaven,dover)', options: [] },
        },
        {
          position: { key: 'unit', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'enum(m,ft)', options: ['default(m)', 'describe(Metres or feet)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: { type: 'object', properties: { harbour: { type: 'string' }, tides: { type: 'array' } } },
      },
      tests: [
        { _description: 'In metres', harbour: 'dover' },
        { _description: 'In feet', harbour: 'dover', unit: 'ft' },
        { _description: 'Another harbour', harbour: 'brest' },
      ],
    },
  },
};
