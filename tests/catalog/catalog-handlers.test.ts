import { SchemaKit } from '@schemakit/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Exchange, readRecordedAnswer } from './recorded-answer.ts';
import { type ReplayServer, startReplayServer } from './replay-server.ts';
import { type ReplayedCatalog, readPublicSchemas, replayCatalog, serverParams } from './replayed-catalog.ts';

const schemas = await readPublicSchemas();
let server: ReplayServer;
let catalog: ReplayedCatalog;

beforeAll(async () => {
  server = await startReplayServer();
  catalog = await replayCatalog(schemas, server.origin);
});
afterAll(async () => {
  await server?.close();
  await catalog?.remove();
});

/** Calls a tool with the arguments of one of its tests; `answer` may put another answer in place of the recorded one. */
async function call(namespace: string, tool: string, number: number, answer?: Partial<Exchange['answer']>) {
  const schema = schemas.find(({ main }) => main.namespace === namespace);
  const recorded = await readRecordedAnswer(namespace, tool, number);
  if (!schema || !recorded) throw new Error(`${namespace}.${tool}-${number} is not recorded`);
  server.expect(recorded.exchanges.map((exchange) => ({ ...exchange, answer: { ...exchange.answer, ...answer } })));
  const { _description, ...userParams } = schema.main.tools[tool]?.tests?.[number - 1] ?? { _description: '' };
  const loaded = await SchemaKit.loadSchema({ filePath: catalog.fileOf(schema) });
  const result = await SchemaKit.fetch({ schema: loaded, routeName: tool, userParams, serverParams });
  expect(server.complaints()).toEqual([]);
  return result;
}

describe('answers that handlers make usable', () => {
  test('an Atom feed of arXiv is a list of papers', async () => {
    expect((await call('arxiv', 'getPapers', 2)).data).toMatchObject({
      total: 2,
      start: 0,
      papers: [
        {
          id: 'cs/9901002v1',
          abstract: 'Results where a < b & c > d.',
          authors: ['Jonathan Baxter', 'Andrew Tridgell'],
          primaryCategory: 'cs.LG',
          categories: ['cs.LG', 'cs.AI', 'I.2.6'],
          comment: null,
          pdf: 'http://arxiv.org/pdf/cs/9901002v1',
        },
        { id: '0710.5765v1', authors: ['G. G. Kacprzak'], primaryCategory: null },
      ],
    });
    expect((await call('arxiv', 'getPapers', 1)).data).toMatchObject({
      papers: [
        {
          title: 'Multi-Electron Production at High Transverse Momenta in ep Collisions at HERA',
          journalRef: 'Eur.Phys.J. C31 (2003) 17-29',
          url: 'http://arxiv.org/abs/hep-ex/0307015v1',
        },
      ],
    });
  });

  test('a step of a forecast has the values of its time and of the hours after it', async () => {
    expect((await call('metno', 'getForecast', 1)).data).toMatchObject({
      steps: [
        {
          time: '2020-06-10T14:00:00Z',
          air_temperature: 17.1,
          hours: 1,
          symbol_code: 'partlycloudy_day',
          precipitation_amount: 0,
        },
        { air_temperature: 11.8, hours: 6, symbol_code: 'lightrainshowers_night', precipitation_amount: 0.4 },
        { air_temperature: 15.2 },
      ],
    });
    expect((await call('metno', 'getForecast', 3)).data).toMatchObject({ steps: [expect.anything()] });
  });

  test('an earthquake is one record with dates', async () => {
    expect((await call('usgs', 'getEarthquake', 1)).data).toMatchObject({
      magnitude: 9.1,
      time: '2011-03-11T05:46:24.120Z',
      depthKm: 29,
      tsunami: true,
    });
    expect((await call('usgs', 'countEarthquakes', 1)).data).toEqual({ count: 326 });
  });

  test('a pair of the World Bank is one object', async () => {
    expect((await call('worldbank', 'getIndicator', 1)).data).toEqual({
      page: 1,
      pages: 1,
      total: 2,
      lastUpdated: '2026-01-28',
      indicator: 'Population, total',
      values: [
        { country: 'Brazil', countryCode: 'BRA', date: '2001', value: 176301203 },
        { country: 'Brazil', countryCode: 'BRA', date: '2000', value: 174018282 },
      ],
    });
  });

  test('texts of Wikipedia have no markup', async () => {
    expect((await call('wikipedia', 'searchPages', 2)).data).toMatchObject({
      pages: [{ excerpt: 'Wooden Ships & Iron Men is a wargame', matched_title: 'Wooden Ships & Iron Men' }],
    });
  });

  test('statements of Wikidata have values, null where there is none', async () => {
    expect((await call('wikidata', 'getStatements', 2)).data).toMatchObject({
      statements: [
        {
          property: 'P17',
          value: 'Senior Team Supervisor',
          qualifiers: [
            { property: 'P706', value: { precision: 11 } },
            { property: 'P708', value: null },
          ],
        },
      ],
    });
  });

  test('a vulnerability says where it is fixed', async () => {
    expect((await call('osv', 'queryPackage', 2)).data).toMatchObject({
      vulns: [{ affected: [{ ecosystem: 'RubyGems', name: 'nokogiri', introduced: ['0'], fixed: ['1.18.3'] }] }],
      nextPageToken: 'a base64 string here',
    });
  });

  test('a list of Hacker News has its stories in order, without those that are gone', async () => {
    expect((await call('hackernews', 'listStories', 1)).data).toMatchObject({
      total: 3,
      stories: [{ id: 8863 }, { id: 121003 }],
    });
    expect((await call('hackernews', 'listStories', 3)).data).toMatchObject({ total: 2, stories: [{ id: 192327 }] });
    expect((await call('hackernews', 'getUser', 3)).data).toBeNull();
  });

  test('packages keep what a reader needs', async () => {
    expect((await call('npm', 'getPackage', 2)).data).toMatchObject({
      distTags: { latest: '5.0.2' },
      versions: ['4.0.0', '5.0.2'],
      deprecated: 'Moved to other packages',
    });
    expect((await call('pypi', 'getProject', 2)).data).toMatchObject({
      license: 'ZPL-2.1',
      requires: [],
      versions: ['7.0'],
    });
    expect((await call('openlibrary', 'getBooks', 2)).data).toMatchObject({
      books: [
        { bibkey: 'ISBN:9780980200447', authors: ['John Miedema'], pages: 92 },
        { bibkey: 'LCCN:93005405', authors: [], cover: null },
      ],
    });
  });
});

describe('errors that come with status 200', () => {
  test('the World Bank says which value is not valid', async () => {
    const body = [
      { message: [{ id: '120', key: 'Invalid value', value: 'The provided parameter value is not valid' }] },
    ];
    const { status, messages } = await call('worldbank', 'getIndicator', 1, { body });
    expect(status).toBe(false);
    expect(messages.join()).toContain('Invalid value: The provided parameter value is not valid');
  });

  test('arXiv says what is wrong with an id', async () => {
    const body = `<feed><entry><id>http://arxiv.org/api/errors#incorrect_id_format_for_1234.12345</id>
      <title>Error</title><summary>incorrect id format for 1234.12345</summary></entry></feed>`;
    const { status, messages } = await call('arxiv', 'getPapers', 1, { body });
    expect(status).toBe(false);
    expect(messages.join()).toContain('incorrect id format for 1234.12345');
  });
});

test('a tool that has to say whom to contact is not called without that', async () => {
  const schema = schemas.find(({ main }) => main.namespace === 'metno');
  if (!schema) throw new Error('there is no metno');
  server.expect([]);
  const loaded = await SchemaKit.loadSchema({ filePath: catalog.fileOf(schema) });
  const { status, messages } = await SchemaKit.fetch({
    schema: loaded,
    routeName: 'getForecast',
    userParams: { lat: 59.93, lon: 10.72 },
  });
  expect(status).toBe(false);
  expect(messages.join()).toContain('SCHEMAKIT_CONTACT');
  expect(server.complaints()).toEqual([]);
});
