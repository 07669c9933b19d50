// The comments below name types. With the tsconfig.json beside this file, an editor completes fields and marks mistakes.

// A parameter that several tools share has a type of its own.
/** @type {import('@schemakit/core').Parameter} */
const river = {
  position: { key: 'river', value: '{{USER_PARAM}}', location: 'insert' },
  z: { primitive: 'enum(elbe,rhine,weser)', options: [] },
};

/** @satisfies {import('@schemakit/core').SchemaMain} */
export const main = {
  namespace: 'rivers',
  name: 'Rivers',
  description: 'Water levels of rivers.',
  version: '3.0.0',
  root: 'http://127.0.0.1:4852',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  tools: {
    getLevel: {
      method: 'GET',
      path: '/rivers/{{river}}/level',
      description: 'Get the water level of a river, in metres.',
      parameters: [river],
      output: {
        mimeType: 'application/json',
        schema: { type: 'object', properties: { river: { type: 'string' }, metres: { type: 'number' } } },
      },
      tests: [
        { _description: 'A short one', river: 'weser' },
        { _description: 'A long one', river: 'rhine' },
        { _description: 'Another one', river: 'elbe' },
      ],
    },
  },
};

/** @type {import('@schemakit/core').HandlersFactory<typeof main>} */
export const handlers = () => ({
  getLevel: {
    // The API answers in centimetres.
    postRequest: ({ response, params }) => ({ response: { river: params.river, metres: response.cm / 100 } }),
  },
});
