// Frankfurter: exchange rates that central banks publish each working day. Parameters and answers are those of
// api.frankfurter.dev/v2/openapi.json. Rates are blended from all banks unless `providers` names some; ECB is the European
// Central Bank.

const base = {
  position: { key: 'base', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'string()',
    options: ['regex(^[A-Z]{3}$)', 'default(EUR)', 'describe(One of this currency, ISO 4217)'],
  },
};

const providers = {
  position: { key: 'providers', value: '{{USER_PARAM}}', location: 'query' },
  z: {
    primitive: 'string()',
    options: [
      'regex(^[A-Z_]+(,[A-Z_]+)*$)',
      'optional()',
      'describe(Only rates of these banks, with commas between, such as ECB; all of them without it)',
    ],
  },
};

const rate = {
  type: 'object',
  properties: {
    date: { type: 'string', description: 'YYYY-MM-DD' },
    base: { type: 'string' },
    quote: { type: 'string' },
    rate: { type: 'number', description: 'How much of quote one of base is worth' },
  },
};

export const main = {
  namespace: 'frankfurter',
  name: 'Frankfurter exchange rates',
  description: 'Reference exchange rates of central banks by day: latest, on a date, over a period.',
  version: '3.0.0',
  docs: ['https://frankfurter.dev/', 'https://api.frankfurter.dev/v2/openapi.json'],
  tags: ['finance', 'currency'],
  root: 'https://api.frankfurter.dev/v2',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    getRates: {
      method: 'GET',
      path: '/rates',
      description:
        'Get exchange rates of a currency: the latest, or those of a date. Daily reference rates, not prices to trade at.',
      parameters: [
        base,
        {
          position: { key: 'quotes', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: [
              'regex(^[A-Z]{3}(,[A-Z]{3})*$)',
              'optional()',
              'describe(Only these currencies, with commas between, such as USD,GBP; about 200 without it)',
            ],
          },
        },
        {
          position: { key: 'date', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: ['regex(^\\d{4}-\\d{2}-\\d{2}$)', 'optional()', 'describe(YYYY-MM-DD; the latest without it)'],
          },
        },
        providers,
      ],
      output: { mimeType: 'application/json', schema: { type: 'array', items: rate } },
      tests: [
        { _description: 'The euro in two currencies', quotes: 'USD,GBP' },
        { _description: 'On a date', base: 'USD', quotes: 'EUR', date: '2024-01-15' },
        { _description: 'Only of the European Central Bank', quotes: 'CHF', providers: 'ECB' },
      ],
    },

    getRateHistory: {
      method: 'GET',
      path: '/rates',
      description:
        'Get how exchange rates changed from one date to another, by day, or one rate a week or month. Ask for few ' +
        'currencies: the answer has a row for each day and currency.',
      parameters: [
        base,
        {
          position: { key: 'quotes', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: ['regex(^[A-Z]{3}(,[A-Z]{3}){0,9}$)', 'describe(Up to ten currencies, with commas between)'],
          },
        },
        {
          position: { key: 'from', value: '{{USER_PARAM}}', location: 'query' },
          z: { primitive: 'string()', options: ['regex(^\\d{4}-\\d{2}-\\d{2}$)', 'describe(First day, YYYY-MM-DD)'] },
        },
        {
          position: { key: 'to', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'string()',
            options: [
              'regex(^\\d{4}-\\d{2}-\\d{2}$)',
              'optional()',
              'describe(Last day, YYYY-MM-DD; today without it)',
            ],
          },
        },
        {
          position: { key: 'group', value: '{{USER_PARAM}}', location: 'query' },
          z: {
            primitive: 'enum(week,month)',
            options: ['optional()', 'describe(One rate for each; by day without it)'],
          },
        },
        providers,
      ],
      output: { mimeType: 'application/json', schema: { type: 'array', items: rate } },
      tests: [
        { _description: 'Days of one currency', quotes: 'USD', from: '2024-01-15', to: '2024-01-16' },
        {
          _description: 'By month',
          base: 'GBP',
          quotes: 'USD,JPY',
          from: '2024-01-01',
          to: '2024-02-29',
          group: 'month',
        },
        { _description: 'Up to today', quotes: 'SEK', from: '2026-01-05', group: 'week', providers: 'ECB' },
      ],
    },

    listCurrencies: {
      method: 'GET',
      path: '/currencies',
      description:
        'List the currencies that there are rates for, with their codes, names and the banks that publish them.',
      parameters: [],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              iso_code: { type: 'string' },
              iso_numeric: { type: 'string', nullable: true },
              name: { type: 'string' },
              symbol: { type: 'string', nullable: true },
              providers: { type: 'array', items: { type: 'string' } },
            },
          },
        },
      },
      tests: [{ _description: 'All' }, { _description: 'Without symbols' }, { _description: 'Without numeric codes' }],
    },
  },
};
