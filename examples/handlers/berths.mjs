export const main = {
  namespace: 'berths',
  name: 'Berths',
  description: 'Free berths, and the ships in harbour.',
  version: '3.0.0',
  root: 'http://127.0.0.1:4851',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  // Only the entries that have a code: the other harbours have no office to ask.
  sharedLists: [{ ref: 'harbours', version: '1.0.0', filter: { key: 'locode', exists: true } }],

  tools: {
    listBerths: {
      method: 'GET',
      path: '/berths/{{harbour}}',
      description: 'List the berths of a harbour: which are free, and how long a ship may be.',
      parameters: [
        {
          // Callers choose from the list; the first handler below puts the code in its place.
          position: { key: 'harbour', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'enum({{harbours:alias}})', options: [] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'array',
          items: {
            type: 'object',
            properties: { berth: { type: 'string' }, isFree: { type: 'boolean' }, metres: { type: 'number' } },
          },
        },
      },
      tests: [
        { _description: 'A small harbour', harbour: 'brest' },
        { _description: 'A larger one', harbour: 'dover' },
        { _description: 'The small one again', harbour: 'brest' },
      ],
    },

    listShips: {
      method: 'GET',
      path: '/ships',
      description: 'List all ships in harbour.',
      parameters: [],
      output: {
        mimeType: 'application/json',
        schema: { type: 'object', properties: { ships: { type: 'array', items: { type: 'string' } } } },
      },
      tests: [{ _description: 'All' }, { _description: 'All, again' }, { _description: 'All, once more' }],
    },
  },
};

export const handlers = ({ sharedLists }) => {
  const codes = new Map(sharedLists.harbours.map(({ alias, locode }) => [alias, locode]));

  return {
    listBerths: {
      // Before the request: other parameters. The request is planned again from them.
      preRequest: async ({ params }) => ({ params: { ...params, harbour: codes.get(params.harbour) } }),

      // After the answer: `response` is the text that came back; what is returned is the tool's answer.
      postRequest: async ({ response }) => {
        const lines = response.trim().split('\n');
        return {
          response: lines.map((line) => {
            const [berth, state, metres] = line.split(';');
            return { berth, isFree: state === 'free', metres: Number(metres) };
          }),
        };
      },
    },

    listShips: {
      // In place of the request: as many requests as it takes. `payload` has what was planned.
      executeRequest: async ({ struct, payload }) => {
        const ships = [];
        for (let page = 0; page !== null; ) {
          const answer = await fetch(`${payload.url}?page=${page}`);
          const { ships: some, next } = await answer.json();
          ships.push(...some);
          page = next;
        }
        struct.data = { ships };
        return { struct };
      },
    },
  };
};
