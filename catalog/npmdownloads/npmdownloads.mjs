// How often npm packages are downloaded. Paths, periods and answers are those of docs/download-counts.md in
// github.com/npm/registry. Days are UTC; the first is 2015-01-10.

const period = {
  position: { key: 'period', value: '{{USER_PARAM}}', location: 'insert' },
  z: {
    primitive: 'string()',
    options: [
      'regex(^(last-day|last-week|last-month|last-year|\\d{4}-\\d{2}-\\d{2}(:\\d{4}-\\d{2}-\\d{2})?)$)',
      'default(last-week)',
      'describe(last-day, last-week, last-month, last-year, a day or two days as 2014-01-01:2014-01-31; at most 18 months)',
    ],
  },
};

const packageName = {
  position: { key: 'package', value: '{{USER_PARAM}}', location: 'insert' },
  z: {
    primitive: 'string()',
    options: [
      'regex(^(@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$)',
      'max(214)',
      'describe(Such as express or @slack/client)',
    ],
  },
};

export const main = {
  namespace: 'npmdownloads',
  name: 'npm download counts',
  description: 'How often an npm package was downloaded, in all or by day.',
  version: '3.0.0',
  docs: ['https://github.com/npm/registry/blob/main/docs/download-counts.md'],
  tags: ['packages', 'javascript', 'statistics'],
  root: 'https://api.npmjs.org',
  requiredServerParams: [],
  requiredLibraries: [],
  headers: {},

  tools: {
    getDownloads: {
      method: 'GET',
      path: '/downloads/point/{{period}}/{{package}}',
      description: 'Get how often a package was downloaded in a period, as one number. Use it to compare packages.',
      parameters: [period, packageName],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            downloads: { type: 'integer' },
            start: { type: 'string', description: 'First day, YYYY-MM-DD' },
            end: { type: 'string', description: 'Last day, itself counted' },
            package: { type: 'string' },
          },
        },
      },
      tests: [
        { _description: 'A month', package: 'jquery', period: '2014-01-01:2014-01-31' },
        { _description: 'The last week', package: 'express' },
        { _description: 'With a scope', package: '@slack/client', period: 'last-month' },
      ],
    },

    getDailyDownloads: {
      method: 'GET',
      path: '/downloads/range/{{period}}/{{package}}',
      description:
        'Get how often a package was downloaded on each day of a period, to see how that changes. getDownloads has the ' +
        'sum alone.',
      parameters: [period, packageName],
      output: {
        mimeType: 'application/json',
        schema: {
          type: 'object',
          properties: {
            downloads: {
              type: 'array',
              items: { type: 'object', properties: { day: { type: 'string' }, downloads: { type: 'integer' } } },
            },
            start: { type: 'string', description: 'First day, YYYY-MM-DD' },
            end: { type: 'string', description: 'Last day, itself counted' },
            package: { type: 'string' },
          },
        },
      },
      tests: [
        { _description: 'Two days', package: 'jquery', period: '2014-02-27:2014-02-28' },
        { _description: 'One day', package: 'express', period: '2014-02-01' },
        { _description: 'With a scope', package: '@slack/client', period: 'last-day' },
      ],
    },
  },
};
