// A kitchen garden as MCP tools. `schemakit demo` serves the API that this file describes.
//
// A schema is data: `main` says which endpoints there are, what callers may pass, and what comes back.
// Each tool becomes one MCP tool, `garden__searchPlants` and so on, that makes exactly one HTTP request.

// What several answers have in common is written once.
const plant = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    latin: { type: 'string' },
    bed: { type: 'string' },
    heightCm: { type: 'integer' },
    sowMonth: { type: 'integer', description: '1 to 12' },
    pickMonth: { type: 'integer', description: '1 to 12' },
  },
};

export const main = {
  namespace: 'garden',
  name: 'Kitchen garden',
  description: 'A small kitchen garden: what grows there, what was picked, and how dry the soil is.',
  version: '3.0.0',
  docs: ['http://127.0.0.1:4848/'],
  tags: ['demo', 'garden'],
  root: 'http://127.0.0.1:4848',

  // Secrets are named here and come from the environment of the server. Callers and models never see them.
  requiredServerParams: ['GARDEN_API_KEY'],
  requiredLibraries: [],
  headers: {},
  auth: { type: 'bearer', token: '{{GARDEN_API_KEY}}' },

  tools: {
    // Query parameters, with bounds, an enum and defaults: GET /plants?q=allium&sort=height&limit=10
    searchPlants: {
      method: 'GET',
      path: '/plants',
      description: 'Search the plants of the garden by name or Latin name.',
      parameters: [
        {
          position: { key: 'q', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['describe(Part of a name; all plants without it)', 'optional()'] },
        },
        {
          position: { key: 'sort', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'enum(name,height,sowing)', options: ['default(name)'] },
        },
        {
          position: { key: 'limit', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(50)', 'default(10)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            total: { type: 'integer', description: 'How many plants match, however many are listed' },
            plants: { type: 'array', items: plant },
          },
        },
      },
      tests: [
        { _description: 'Everything that grows' },
        { _description: 'Onions and their relatives, tallest first', q: 'allium', sort: 'height' },
        { _description: 'What to sow first', sort: 'sowing', limit: 1 },
      ],
    },

    // A path parameter: {{id}} in the path, location insert.
    getPlant: {
      method: 'GET',
      path: '/plants/{{id}}',
      description: 'Get one plant: where it grows, how tall it gets, when to sow and pick it.',
      parameters: [
        {
          position: { key: 'id', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'string()', options: ['min(1)', 'describe(An id that searchPlants answers)'] },
        },
      ],
      output: { mimeType: 'application/json', schema: plant },
      tests: [
        { _description: 'A herb', id: 'basil' },
        { _description: 'The tallest', id: 'sunflower' },
        { _description: 'A name with a hyphen', id: 'broad-bean' },
      ],
    },

    // `:bed` is another way to write {{bed}}. `unit` is fixed: it is sent with every request and callers do not see it.
    listHarvests: {
      method: 'GET',
      path: '/beds/:bed/harvests',
      description: 'List what was picked in a bed, newest first, in kilograms.',
      parameters: [
        {
          position: { key: 'bed', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'enum(north,south,herbs,greenhouse)', options: [] },
        },
        {
          position: { key: 'unit', value: 'kg', location: 'query' },
          z: { primitive: 'string()', options: [] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            bed: { type: 'string' },
            unit: { type: 'string' },
            harvests: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  id: { type: 'integer' },
                  plant: { type: 'string' },
                  amount: { type: 'number' },
                  note: { type: 'string', nullable: true },
                  pickedOn: { type: 'string', description: 'YYYY-MM-DD' },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'Beans and leeks', bed: 'north' },
        { _description: 'Too many courgettes', bed: 'south' },
        { _description: 'Tomatoes', bed: 'greenhouse' },
      ],
    },

    // A JSON body. Writing needs the API key from `auth` above.
    logHarvest: {
      method: 'POST',
      path: '/harvests',
      description: 'Write down that something was picked today.',
      parameters: [
        {
          position: { key: 'plant', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'string()', options: ['min(1)', 'describe(An id that searchPlants answers)'] },
        },
        {
          position: { key: 'grams', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'number()', options: ['min(1)', 'max(100000)', 'describe(A whole number)'] },
        },
        {
          position: { key: 'note', value: '{{USER_PARAM}}', location: 'body' },
          z: { primitive: 'string()', options: ['max(200)', 'optional()'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            id: { type: 'integer' },
            plant: { type: 'string' },
            grams: { type: 'integer' },
            note: { type: 'string', nullable: true },
            pickedOn: { type: 'string', description: 'YYYY-MM-DD' },
          },
        },
      },
      tests: [
        { _description: 'A bunch of basil', plant: 'basil', grams: 60 },
        { _description: 'With a note', plant: 'courgette', grams: 1800, note: 'still too many' },
        { _description: 'The smallest harvest', plant: 'thyme', grams: 1 },
      ],
    },

    // A slow upstream, and one that can fail: ask for the greenhouse to see what a caller is told.
    readSoil: {
      method: 'GET',
      path: '/beds/:bed/soil',
      description: 'Read the soil sensor of a bed. The sensor in the greenhouse is broken and answers with an error.',
      parameters: [
        {
          position: { key: 'bed', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'enum(north,south,herbs,greenhouse)', options: [] },
        },
        {
          position: { key: 'delay', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'number()',
            options: ['min(0)', 'max(10000)', 'default(0)', 'describe(Milliseconds that the sensor takes)'],
          },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            bed: { type: 'string' },
            moisture: { type: 'number', description: '0 is dust, 1 is a pond' },
            celsius: { type: 'number' },
          },
        },
      },
      tests: [
        { _description: 'The dry bed', bed: 'herbs' },
        { _description: 'The damp bed', bed: 'north', delay: 0 },
        { _description: 'A sensor that takes its time', bed: 'south', delay: 300 },
      ],
    },

    // The API answers XML here; the handler below makes JSON of it, and `output` describes that JSON.
    getCalendar: {
      method: 'GET',
      path: '/calendar.xml',
      description: 'What to sow and what to pick in a month.',
      parameters: [
        {
          position: { key: 'month', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(12)', 'describe(1 is January)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            month: { type: 'integer' },
            tasks: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  kind: { type: 'string', description: 'sow or pick' },
                  plant: { type: 'string', description: 'An id for getPlant' },
                  name: { type: 'string' },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'The first sowings, with an ampersand', month: 3 },
        { _description: 'Sowing and picking', month: 5 },
        { _description: 'A month of rest', month: 1 },
      ],
    },
  },
};

// Handlers are the only code. They are named after their tools, import nothing, and run in a process of their own
// that has no files, no environment and no network.
export const handlers = () => ({
  getCalendar: {
    postRequest: async ({ response }) => {
      const [, month] = /<calendar month="(\d+)">/.exec(response);
      const tasks = [...response.matchAll(/<task kind="(\w+)" plant="([\w-]+)">([^<]*)<\/task>/g)].map(
        ([, kind, plant, name]) => ({ kind, plant, name: unescapeXml(name) }),
      );
      return { response: { month: Number(month), tasks } };
    },
  },
});

function unescapeXml(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
