// The Indicators API of the World Bank, version 2. Parameters are those of "API Basic Call Structures", paths those of the
// country and indicator queries at datahelpdesk.worldbank.org. An answer is a pair, paging and rows, and an error comes with
// status 200: the handlers make one object of the pair and a failure of the error.

const json = {
  position: { key: 'format', value: 'json', location: 'query' },
  z: { primitive: 'string()', options: [] },
};

const group = {
  type: 'object',
  properties: { id: { type: 'string' }, iso2code: { type: 'string' }, value: { type: 'string' } },
};

export const main = {
  namespace: 'worldbank',
  name: 'World Bank indicators',
  description:
    'Development data of the World Bank by country and year: population, GDP, education, health, climate and more.',
  version: '3.0.0',
  docs: [
    'https://datahelpdesk.worldbank.org/knowledgebase/articles/889392-about-the-indicators-api-documentation',
    'https://datahelpdesk.worldbank.org/knowledgebase/articles/898581-api-basic-call-structures',
    'https://datahelpdesk.worldbank.org/knowledgebase/articles/898590-country-api-queries',
    'https://datahelpdesk.worldbank.org/knowledgebase/articles/898599-indicator-api-queries',
    'https://datahelpdesk.worldbank.org/knowledgebase/articles/898620-api-error-codes',
  ],
  tags: ['government', 'economy', 'statistics'],
  root: 'https://api.worldbank.org/v2',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    getIndicator: {
      method: 'GET',
      path: '/country/{{country}}/indicator/{{indicator}}',
      description:
        'Get the values of an indicator for countries or groups of countries, newest year first. Common indicators: ' +
        'SP.POP.TOTL population, NY.GDP.MKTP.CD GDP in current US$, NY.GDP.PCAP.CD GDP per person, FP.CPI.TOTL.ZG ' +
        'inflation in %, SP.DYN.LE00.IN life expectancy.',
      parameters: [
        {
          position: { key: 'country', value: '{{USER_PARAM}}', location: 'insert' },
          z: {
            primitive: 'string()',
            options: [
              'regex(^[A-Za-z0-9]{2,3}(;[A-Za-z0-9]{2,3})*$)',
              'describe(ISO codes with semicolons between, such as BR or chn;bra; WLD is the world, all every country)',
            ],
          },
        },
        {
          position: { key: 'indicator', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'string()', options: ['regex(^[A-Za-z0-9._]+$)', 'describe(Code of one indicator)'] },
        },
        json,
        {
          position: { key: 'date', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: [
              'regex(^[0-9]{4}([MQ][0-9]{1,2})?(:[0-9]{4}([MQ][0-9]{1,2})?)?$)',
              'optional()',
              'describe(A year or a range of years, such as 2000:2010; months as 2012M01, quarters as 2013Q1)',
            ],
          },
        },
        {
          position: { key: 'mrnev', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'number()',
            options: ['min(1)', 'optional()', 'describe(Only so many of the most recent values that are not empty)'],
          },
        },
        {
          position: { key: 'per_page', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'max(1000)', 'default(100)'] },
        },
        {
          position: { key: 'page', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'number()', options: ['min(1)', 'default(1)'] },
        },
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            page: { type: 'integer' },
            pages: { type: 'integer' },
            total: { type: 'integer', description: 'Values on all pages' },
            lastUpdated: { type: 'string', nullable: true, description: 'YYYY-MM-DD' },
            indicator: { type: 'string', nullable: true, description: 'What is measured, with its unit' },
            values: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  country: { type: 'string' },
                  countryCode: { type: 'string', description: 'ISO 3166-1 alpha-3; empty for some groups' },
                  date: { type: 'string' },
                  value: { type: 'number', nullable: true },
                },
              },
            },
          },
        },
      },
      tests: [
        { _description: 'Population in two years', country: 'BR', indicator: 'SP.POP.TOTL', date: '2000:2001' },
        { _description: 'The latest of two countries', country: 'chn;bra', indicator: 'NY.GDP.PCAP.CD', mrnev: 1 },
        {
          _description: 'A year without a value',
          country: 'ERI',
          indicator: 'NY.GDP.MKTP.CD',
          date: '2020',
          per_page: 5,
        },
      ],
    },

    getIndicatorInfo: {
      method: 'GET',
      path: '/indicator/{{indicator}}',
      description: 'Explain an indicator by its code: name, source, notes on how it is measured, and topics.',
      parameters: [
        {
          position: { key: 'indicator', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'string()', options: ['regex(^[A-Za-z0-9._]+$)', 'describe(Code of one indicator)'] },
        },
        json,
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            name: { type: 'string' },
            unit: { type: 'string' },
            source: { type: 'object', properties: { id: { type: 'string' }, value: { type: 'string' } } },
            sourceNote: { type: 'string' },
            sourceOrganization: { type: 'string' },
            topics: {
              type: 'array',
              items: { type: 'object', properties: { id: { type: 'string' }, value: { type: 'string' } } },
            },
          },
        },
      },
      tests: [
        { _description: 'GDP', indicator: 'NY.GDP.MKTP.CD' },
        { _description: 'Population', indicator: 'SP.POP.TOTL' },
        { _description: 'Inflation', indicator: 'FP.CPI.TOTL.ZG' },
      ],
    },

    getCountry: {
      method: 'GET',
      path: '/country/{{country}}',
      description: 'Get facts about a country: region, income level, lending type, capital and its coordinates.',
      parameters: [
        {
          position: { key: 'country', value: '{{USER_PARAM}}', location: 'insert' },
          z: {
            primitive: 'string()',
            options: ['regex(^[A-Za-z0-9]{2,3}$)', 'describe(ISO 3166-1 code of one country)'],
          },
        },
        json,
      ],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            id: { type: 'string', description: 'ISO 3166-1 alpha-3' },
            iso2Code: { type: 'string' },
            name: { type: 'string' },
            region: group,
            adminregion: group,
            incomeLevel: group,
            lendingType: group,
            capitalCity: { type: 'string' },
            longitude: { type: 'string', description: 'Degrees; empty for groups' },
            latitude: { type: 'string' },
          },
        },
      },
      tests: [
        { _description: 'Two letters', country: 'BR' },
        { _description: 'Three letters', country: 'DEU' },
        { _description: 'A group', country: 'WLD' },
      ],
    },
  },
};

export const handlers = () => ({
  getIndicator: {
    postRequest: ({ response, struct }) =>
      failure(response, struct) ?? {
        response: readValues(response),
      },
  },
  getIndicatorInfo: {
    postRequest: ({ response, struct }) => failure(response, struct) ?? { response: response[1][0] },
  },
  getCountry: {
    postRequest: ({ response, struct }) => failure(response, struct) ?? { response: response[1][0] },
  },
});

/** An error is a list with one object, and the object a list of messages. */
function failure([{ message }], struct) {
  if (!message) return undefined;
  struct.status = false;
  struct.messages.push(...message.map(({ key, value }) => `${key}: ${value}`));
  return { struct };
}

function readValues([{ page, pages, total, lastupdated = null }, rows]) {
  const values = (rows ?? []).map(({ country, countryiso3code, date, value }) => ({
    country: country.value,
    countryCode: countryiso3code,
    date,
    value,
  }));
  return { page, pages, total, lastUpdated: lastupdated, indicator: rows?.[0]?.indicator.value ?? null, values };
}
