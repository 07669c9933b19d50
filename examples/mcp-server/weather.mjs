export const main = {
  namespace: 'weather',
  name: 'Weather',
  description: 'The weather at the coast.',
  version: '3.0.0',
  root: 'http://127.0.0.1:4850',

  // The name of a secret. Its value comes from the server; callers and models never see it.
  requiredServerParams: ['WEATHER_KEY'],
  requiredLibraries: [],
  headers: { 'X-Api-Key': '{{WEATHER_KEY}}' },

  tools: {
    getTemperature: {
      method: 'GET',
      path: '/now',
      description: 'Get the temperature at a place, in degrees Celsius.',
      parameters: [
        {
          position: { key: 'place', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['min(2)', 'max(60)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: { type: 'object', properties: { place: { type: 'string' }, celsius: { type: 'number' } } },
      },
      tests: [
        { _description: 'A harbour', place: 'Dover' },
        { _description: 'An island', place: 'Sark' },
        { _description: 'A name with a space', place: 'Le Conquet' },
      ],
    },
  },
};
