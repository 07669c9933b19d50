// openFDA, data of the US Food and Drug Administration. Query parameters and their bounds are those of
// open.fda.gov/apis/query-parameters/, records those of the enforcement reports of food and drugs. Without a key, 240 requests
// a minute and 1,000 a day are allowed.

const search = {
  position: { key: 'search', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'string()',
    options: [
      'min(1)',
      'optional()',
      'describe(field:term, phrases in quotes, joined by AND or OR, ranges as report_date:[20240101 TO 20241231], such as classification:"Class I" AND reason_for_recall:salmonella; everything without it)',
    ],
  },
};

const sort = {
  position: { key: 'sort', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'string()',
    options: ['regex(^[a-z_.]+:(asc|desc)$)', 'optional()', 'describe(Such as report_date:desc)'],
  },
};

const limit = {
  position: { key: 'limit', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'number()', options: ['min(1)', 'max(100)', 'default(10)'] },
};

const skip = {
  position: { key: 'skip', value: '{{USER_PARAM}}', location: 'query' },
  z: { primitive: 'number()', options: ['min(0)', 'max(25000)', 'default(0)', 'describe(How many to leave out)'] },
};

const recalls = {
  type: 'object',
  properties: {
    meta: {
      type: 'object',
      properties: {
        disclaimer: { type: 'string' },
        license: { type: 'string' },
        last_updated: { type: 'string' },
        results: {
          type: 'object',
          properties: { skip: { type: 'integer' }, limit: { type: 'integer' }, total: { type: 'integer' } },
        },
      },
    },
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          recall_number: { type: 'string' },
          event_id: { type: 'string' },
          status: { type: 'string', description: 'Ongoing, Completed, Terminated or Pending' },
          classification: { type: 'string', description: 'Class I is dangerous, Class III unlikely to do harm' },
          product_type: { type: 'string' },
          product_description: { type: 'string' },
          product_quantity: { type: 'string' },
          reason_for_recall: { type: 'string' },
          code_info: { type: 'string', description: 'Lots, serial numbers and dates that are affected' },
          recalling_firm: { type: 'string' },
          city: { type: 'string' },
          state: { type: 'string' },
          country: { type: 'string' },
          distribution_pattern: { type: 'string' },
          voluntary_mandated: { type: 'string' },
          initial_firm_notification: { type: 'string' },
          recall_initiation_date: { type: 'string', description: 'YYYYMMDD' },
          report_date: { type: 'string', description: 'YYYYMMDD' },
          openfda: { type: 'object' },
        },
      },
    },
  },
};

export const main = {
  namespace: 'openfda',
  name: 'openFDA recalls',
  description: 'Recalls of food and drugs in the United States, as the FDA reports them since 2004.',
  version: '3.0.0',
  docs: [
    'https://open.fda.gov/apis/query-parameters/',
    'https://open.fda.gov/apis/food/enforcement/',
    'https://open.fda.gov/apis/drug/enforcement/',
    'https://open.fda.gov/apis/authentication/',
  ],
  tags: ['government', 'health', 'food'],
  root: 'https://api.fda.gov',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    searchFoodRecalls: {
      method: 'GET',
      path: '/food/enforcement.json',
      description: 'Search recalls of food. Reports come weekly and are not for alerting. No match is an error 404.',
      parameters: [search, sort, limit, skip],
      output: { mimeType: 'application/json', schema: recalls },
      tests: [
        { _description: 'One firm', search: 'recalling_firm:"Cass Clay Creamery"', limit: 1 },
        {
          _description: 'Words joined, newest first',
          search: 'classification:"Class I" AND state:ND',
          sort: 'report_date:desc',
        },
        { _description: 'Any, further on', limit: 2, skip: 100 },
      ],
    },

    searchDrugRecalls: {
      method: 'GET',
      path: '/drug/enforcement.json',
      description: 'Search recalls of drugs. Reports come weekly and are not for alerting. No match is an error 404.',
      parameters: [search, sort, limit, skip],
      output: { mimeType: 'application/json', schema: recalls },
      tests: [
        { _description: 'A year', search: 'report_date:[20240101 TO 20241231]', limit: 1 },
        { _description: 'What is under way', search: 'status:Ongoing', sort: 'recall_initiation_date:desc', limit: 3 },
        { _description: 'Any' },
      ],
    },

    countFoodRecalls: {
      method: 'GET',
      path: '/food/enforcement.json',
      description: 'Count recalls of food by the values of a field, the most frequent first.',
      parameters: [
        search,
        {
          position: { key: 'count', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: [
              'regex(^[a-z_]+(\\.exact)?$)',
              'describe(A field; with .exact whole phrases, such as classification.exact)',
            ],
          },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            meta: recalls.properties.meta,
            results: {
              type: 'array',
              items: { type: 'object', properties: { term: { type: 'string' }, count: { type: 'integer' } } },
            },
          },
        },
      },
      tests: [
        { _description: 'By class', count: 'classification.exact' },
        { _description: 'By state, of one class', search: 'classification:"Class I"', count: 'state' },
        { _description: 'By status', count: 'status.exact' },
      ],
    },
  },
};
