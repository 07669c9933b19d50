// Nager.Date: public holidays of more than 100 countries. Paths and fields are those of version 3 at date.nager.at/Api, as
// its controllers have them (github.com/nager/Nager.Date).

const countryCode = {
  position: { key: 'countryCode', value: '{{USER_PARAM}}', location: 'insert' },
  z: { primitive: 'enum({{countries:code}})', options: ['describe(ISO 3166-1 alpha-2)'] },
};

const holidays = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      date: { type: 'string', description: 'YYYY-MM-DD' },
      localName: { type: 'string' },
      name: { type: 'string', description: 'In English' },
      countryCode: { type: 'string' },
      fixed: { type: 'boolean', description: 'Whether it is on the same date every year' },
      global: { type: 'boolean', description: 'Whether it is a holiday in the whole country' },
      counties: {
        type: 'array',
        items: { type: 'string' },
        nullable: true,
        description: 'ISO 3166-2 codes of the regions where it is one; null for the whole country',
      },
      launchYear: { type: 'integer', nullable: true },
      types: {
        type: 'array',
        items: { type: 'string' },
        description: 'Public, Bank, School, Authorities, Optional, Observance',
      },
    },
  },
};

export const main = {
  namespace: 'nager',
  name: 'Nager.Date public holidays',
  description: 'Public holidays by country and year, and which come next.',
  version: '3.0.0',
  docs: ['https://date.nager.at/Api', 'https://github.com/nager/Nager.Date'],
  tags: ['calendar', 'government', 'holidays'],
  root: 'https://date.nager.at/api/v3',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},
  sharedLists: [{ ref: 'countries', version: '1.0.0' }],

  tools: {
    listHolidays: {
      method: 'GET',
      path: '/PublicHolidays/{{year}}/{{countryCode}}',
      description:
        'List the holidays of a country in a year, regional ones among them. Unknown countries are an error 404.',
      parameters: [
        {
          position: { key: 'year', value: '{{USER_PARAM}}', location: 'insert' },
          z: { primitive: 'number()', options: ['min(1)', 'max(9999)', 'describe(Such as 2026)'] },
        },
        countryCode,
      ],
      output: { mimeType: 'application/json', schema: holidays },
      tests: [
        { _description: 'Portugal, with a regional holiday', year: 2024, countryCode: 'PT' },
        { _description: 'Germany', year: 2026, countryCode: 'DE' },
        { _description: 'With a first year', year: 2024, countryCode: 'US' },
      ],
    },

    listNextHolidays: {
      method: 'GET',
      path: '/NextPublicHolidays/{{countryCode}}',
      description:
        'List the public holidays of a country in the next 365 days. For another time, or for school and bank holidays, ' +
        'use listHolidays.',
      parameters: [countryCode],
      output: { mimeType: 'application/json', schema: holidays },
      tests: [
        { _description: 'Austria', countryCode: 'AT' },
        { _description: 'Japan', countryCode: 'JP' },
        { _description: 'Brazil', countryCode: 'BR' },
      ],
    },

    listCountries: {
      method: 'GET',
      path: '/AvailableCountries',
      description: 'List the countries whose holidays are known, with their codes.',
      parameters: [],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'array',
          items: { type: 'object', properties: { countryCode: { type: 'string' }, name: { type: 'string' } } },
        },
      },
      tests: [{ _description: 'All' }, { _description: 'A few' }, { _description: 'Names with accents' }],
    },
  },
};
