import { expect } from 'vitest';
import { type Case, secrets } from './observe.ts';
import { api, bearer, body, gathers, get, header, hello, insert, mac, post, query, refuses, textOf } from './parts.ts';

const q = query('q');
const key = '{{KEY}}';
const hmac = { type: 'hmac', secret: '{{SECRET}}' };
const maxPages = 4;

const library: Case = {
  main: api('library', 'Books and their covers', {
    auth: { type: 'bearer', token: '{{TOKEN}}' },
    headers: { 'X-Client': 'reader' },
    tools: {
      searchBooks: get('/books', 'Search books', [q, query('limit', ['integer()', 'default(2)'])], {
        pagination: { style: 'page', parameter: 'page', sizeParameter: 'limit', items: 'data.books', maxPages },
      }),
      listBooks: get('/shelves', 'List the books of subjects', [
        query('subjects', 'array()', { style: 'pipeDelimited' }),
        header('Accept-Language', 'enum(de,en)'),
      ]),
      orderBooks: post(
        '/orders',
        'Order books',
        [body('lines', 'array(object({ isbn: string(), count: integer().min(1).default(1) }))', { whole: true })],
        { idempotency: { header: 'Idempotency-Key' } },
      ),
      getCover: get('/cover', 'Get the cover of the book of the day', [], { accept: 'image/png' }),
      getHours: get('/hours', 'Get the opening hours', [], { auth: false, headers: { 'x-client': 'visitor' } }),
      getBook: get('/books/{{isbn}}', 'Get a book', [insert('isbn')], {
        tests: [
          { _description: 'A book', isbn: '7', _expect: { select: 'title', equals: 'Dune' } },
          { _description: 'No such book', isbn: '0', _expect: { status: 404 } },
        ],
      }),
    },
  }),
  admits: (request) => bearer(request),
  open: ['/hours'],
  answers: {
    '/cover': { body: hello, headers: { 'content-type': 'image/png' } },
    '/books/7': { body: { title: 'Dune' } },
    '/books/0': { status: 404, body: {} },
  },
  lists: { '/books': (books) => ({ body: { data: { books } } }) },
  calls: [
    ...gathers('searchBooks', (books) => ({ data: { books } }), [
      'GET /books?q=few&limit=2',
      'GET /books?q=few&limit=2&page=2',
      'GET /books?q=few&limit=2&page=3',
    ]),
    refuses('searchBooks', { q: 'few', limit: 1.5 }, 'INP002'),
    {
      tool: 'listBooks',
      args: { subjects: ['sea', 'air'], 'Accept-Language': 'de' },
      asked: ['GET /shelves?subjects=sea%7Cair'],
      headers: { 'accept-language': 'de', 'x-client': 'reader' },
    },
    {
      tool: 'orderBooks',
      args: { lines: [{ isbn: 978, count: '2' }, { isbn: '979' }] },
      headers: { 'idempotency-key': 'call-17' },
      body: [
        { isbn: '978', count: 2 },
        { isbn: '979', count: 1 },
      ],
    },
    { tool: 'getCover', headers: { accept: 'image/png' }, data: 'aGVsbG8=' },
    { tool: 'getHours', headers: { authorization: null, 'x-client': 'visitor' } },
  ],
  content: { getCover: { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' } },
};

const issues: Case = {
  main: api('issues', 'Issues of projects', {
    auth: { type: 'bearer', token: '{{TOKEN}}' },
    headers: { 'X-Version': '3' },
    tools: {
      listIssues: get('/issues', 'List issues', [q], { pagination: { style: 'link', items: '', maxPages } }),
      findIssues: get('/found', 'Find issues by labels', [
        query('labels', 'array()', { style: 'spaceDelimited' }),
        query('sort', 'array()', { style: 'form', explode: false }),
        query('since', 'integer()'),
      ]),
      importIssue: post('/imports', 'Import an issue', [
        body('issue', 'object({ title: string(), author: object({ id: string(), name: string().optional() }) })', {
          whole: true,
        }),
      ]),
      getArchive: get('/archive', 'Get all issues', [], { accept: 'application/x-tar' }),
      getStatus: get('/status', 'Get the state of the service', [], { auth: false, headers: { 'X-Version': null } }),
      getIssue: get('/issues/{{id}}', 'Get an issue', [insert('id')], {
        tests: [
          { _description: 'An issue', id: '7', _expect: { select: 'state', equals: 'open' } },
          { _description: 'No such issue', id: '0', _expect: { status: 404 } },
        ],
      }),
    },
  }),
  admits: (request) => bearer(request),
  open: ['/status'],
  answers: {
    '/archive': { body: hello, headers: { 'content-type': 'application/x-tar' } },
    '/issues/7': { body: { state: 'open' } },
    '/issues/0': { status: 404, body: {} },
  },
  lists: {
    '/issues': (body, next) => ({ body, ...(next && { headers: { link: `<${next.link}>; rel="next"` } }) }),
  },
  calls: [
    ...gathers('listIssues', (items) => items, [
      'GET /issues?q=few',
      'GET /issues?q=few&after=c2',
      'GET /issues?q=few&after=c4',
    ]),
    {
      tool: 'findIssues',
      args: { labels: ['bug', 'ui'], sort: ['age', 'id'], since: 5 },
      asked: ['GET /found?labels=bug%20ui&sort=age,id&since=5'],
    },
    refuses('findIssues', { labels: ['bug'], sort: [], since: 1.5 }, 'INP002'),
    {
      tool: 'importIssue',
      args: { issue: { title: 'Late', author: { id: 7 } } },
      body: { title: 'Late', author: { id: '7' } },
    },
    { tool: 'getArchive', headers: { accept: 'application/x-tar' }, data: 'aGVsbG8=' },
    { tool: 'getStatus', headers: { authorization: null, 'x-version': null } },
  ],
  content: { getArchive: { type: 'resource', resource: expect.objectContaining({ blob: 'aGVsbG8=' }) } },
};

const weather: Case = {
  main: api('weather', 'Forecasts of stations', {
    auth: { type: 'apiKey', in: 'query', name: 'appid', value: key },
    signature: {
      ...{ ...hmac, algorithm: 'sha1', message: '{{method}} {{host}}{{path}}', encoding: 'base64' },
      ...{ in: 'query', name: 'sig' },
    },
    tools: {
      listForecasts: get('/stations/{{range}}/forecasts', 'List the forecasts of stations', [
        insert('range', 'object()', { style: 'simple', explode: true }),
        query('area', 'object({ north: number(), east: number() })', { style: 'deepObject' }),
        query('unit', 'array(enum(m,ft,kn))', { style: 'form' }),
      ]),
      getSeries: get('/series', 'Get measurements', [], { accept: 'text/csv' }),
    },
  }),
  admits: ({ query, method, headers, url }) => {
    const { appid, sig } = query as Record<string, string>;
    return appid === secrets.KEY && sig === mac('sha1', `${method} ${headers.host}${url.split('?')[0]}`, 'base64');
  },
  answers: { '/series': { body: 'a,b', headers: { 'content-type': 'text/csv' } } },
  calls: [
    {
      tool: 'listForecasts',
      args: { range: { from: 10, to: 20 }, area: { north: '1.5', east: 2 }, unit: ['m', 'ft'] },
      asked: ['GET /stations/from=10,to=20/forecasts?area%5Bnorth%5D=1.5&area%5Beast%5D=2&unit=m&unit=ft'],
    },
    refuses('listForecasts', { range: {}, area: { north: 1 }, unit: [] }, 'INP001'),
    refuses('listForecasts', { range: {}, area: { north: 1, east: 2 }, unit: ['mile'] }, 'INP004'),
    { tool: 'getSeries', headers: { accept: 'text/csv' }, data: 'a,b' },
  ],
};

const exchange: Case = {
  main: api('exchange', 'Prices of goods', {
    auth: { type: 'apiKey', in: 'query', name: 'key', value: key },
    signature: {
      ...{
        ...hmac,
        algorithm: 'sha512',
        message: '{{query}}{{body}}',
        encoding: 'hex',
        in: 'query',
        name: 'signature',
      },
      query: { timestamp: '{{timestampMs}}' },
    },
    tools: {
      listTrades: get('/trades', 'List trades', [q], {
        pagination: { style: 'link', next: 'links.next', items: 'trades', maxPages },
      }),
      getPrices: get('/markets{{market}}/prices/{{pair}}', 'Get the prices of a market', [
        insert('market', 'array()', { style: 'matrix', explode: true }),
        insert('pair', 'array()', { style: 'simple' }),
        query('goods', 'array()', { style: 'form', explode: false }),
      ]),
      placeOrder: post('/orders', 'Place an order', [body('limit', 'union(number(), enum(none))')]),
    },
  }),
  admits: ({ url, query, body }) => {
    const [, signed = '', found] = /\?(.*)&signature=(\w+)$/.exec(url) ?? [];
    const { key, timestamp } = query as Record<string, string>;
    const isNow = Math.abs(Number(timestamp) - Date.now()) < 60_000;
    return key === secrets.KEY && isNow && found === mac('sha512', signed + textOf({ body } as never));
  },
  lists: { '/trades': (trades, next) => ({ body: { trades, links: { next: next?.link } } }) },
  calls: [
    ...gathers('listTrades', (trades) => ({ trades, links: { next: expect.stringContaining('after=c2') } })),
    {
      tool: 'getPrices',
      args: { market: ['de', 'ch'], pair: ['a/b', 'c'], goods: ['rye', 'oats'] },
      asked: ['GET /markets;market=de;market=ch/prices/a%2Fb,c?goods=rye,oats'],
    },
    { tool: 'placeOrder', args: { limit: '12.5' }, body: { limit: 12.5 } },
    { tool: 'placeOrder', args: { limit: 'none' }, body: { limit: 'none' } },
    refuses('placeOrder', { limit: 'any' }, 'INP004'),
  ],
};

const parcels: Case = {
  main: api('parcels', 'Parcels and where they are', {
    auth: { type: 'apiKey', in: 'header', name: 'X-Api-Key', value: key },
    signature: {
      ...{ ...hmac, algorithm: 'sha256', message: '{{timestamp}}.{{body}}', encoding: 'hex' },
      ...{ in: 'header', name: 'X-Sign', prefix: 't={{timestamp}},v1=' },
    },
    tools: {
      listEvents: get('/events', 'List events', [q], {
        pagination: { style: 'cursor', parameter: 'after', next: 'next', items: 'events', maxPages },
      }),
      findParcels: get('/parcels', 'Find parcels', [query('ids', 'array(string())', { style: 'spaceDelimited' })]),
      sendParcel: post('/parcels/new', 'Send a parcel', [
        body('to', 'object({ name: string(), address: object({ street: string(), zip: string() }) })'),
        body('paid', "union('by', object({ by: enum(card), number: string() }), object({ by: enum(cash) }))"),
      ]),
    },
  }),
  admits: (request) => {
    const { 'x-api-key': sent, 'x-sign': sign = '' } = request.headers;
    const [, time, found] = /^t=(\d+),v1=(\w+)$/.exec(sign) ?? [];
    return sent === secrets.KEY && found === mac('sha256', `${time}.${textOf(request)}`);
  },
  lists: { '/events': (events, next) => ({ body: { events, next: next?.cursor ?? null } }) },
  calls: [
    ...gathers('listEvents', (events) => ({ events, next: 'c2' }), [
      'GET /events?q=few',
      'GET /events?q=few&after=c2',
      'GET /events?q=few&after=c4',
    ]),
    { tool: 'findParcels', args: { ids: [7, '8'] }, asked: ['GET /parcels?ids=7%208'] },
    refuses('findParcels', { ids: [{}] }, 'INP002'),
    {
      tool: 'sendParcel',
      args: { to: { name: 'Ada', address: { street: 'Kai', zip: 20457 } }, paid: { by: 'card', number: 4111 } },
      body: { to: { name: 'Ada', address: { street: 'Kai', zip: '20457' } }, paid: { by: 'card', number: '4111' } },
    },
    refuses(
      'sendParcel',
      { to: { name: 'Ada', address: { street: 'Kai', zip: 1 } }, paid: { by: 'cash', number: 1 } },
      'INP006',
    ),
  ],
};

const payments: Case = {
  main: api('payments', 'Charges and disputes', {
    auth: { type: 'apiKey', in: 'header', name: 'X-Key', value: key },
    signature: {
      ...{ ...hmac, algorithm: 'sha256', message: '{{method}}{{target}}', encoding: 'base64' },
      ...{ in: 'header', name: 'X-Sum' },
    },
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    tools: {
      listCharges: get('/charges', 'List charges', [q], {
        pagination: { style: 'cursor', parameter: 'after', next: 'meta.cursor', items: 'data', maxPages },
      }),
      addDispute: post(
        '/disputes',
        'Dispute a charge',
        [
          body('metadata', 'record(string())'),
          body('reason', "union('is', object({ is: enum(late), days: integer() }), object({ is: enum(lost) }))"),
        ],
        { encoding: 'json', idempotency: { header: 'X-Request-Id' } },
      ),
    },
  }),
  admits: ({ method, url, headers }) =>
    headers['x-key'] === secrets.KEY && headers['x-sum'] === mac('sha256', `${method}${url}`, 'base64'),
  lists: { '/charges': (data, next) => ({ body: { data, meta: { cursor: next?.cursor } } }) },
  calls: [
    ...gathers('listCharges', (data) => ({ data, meta: { cursor: 'c2' } })),
    {
      tool: 'addDispute',
      args: { metadata: { ticket: 17 }, reason: { is: 'late', days: '3' } },
      headers: { 'content-type': 'application/json', 'x-request-id': 'call-17' },
      body: { metadata: { ticket: '17' }, reason: { is: 'late', days: 3 } },
    },
    refuses('addDispute', { metadata: {}, reason: { is: 'lost', days: 3 } }, 'INP006'),
  ],
};

export const keyedCases: Case[] = [library, issues, weather, exchange, parcels, payments];
