import { type Case, secrets } from './observe.ts';
import {
  api,
  basic,
  bearer,
  body,
  cookie,
  gathers,
  get,
  header,
  hello,
  insert,
  photo,
  post,
  query,
  refuses,
} from './parts.ts';

const q = query('q');
const maxPages = 4;
const oauth2 = {
  ...{ type: 'oauth2', flow: 'clientCredentials', tokenUrl: 'https://auth.example.com/token' },
  ...{ clientId: '{{CLIENT_ID}}', clientSecret: '{{CLIENT_SECRET}}' },
};

function apiKey(name: string): object {
  return { type: 'apiKey', in: 'cookie', name, value: '{{KEY}}' };
}

const forum: Case = {
  main: api('forum', 'Posts of a forum', {
    auth: apiKey('session'),
    tools: {
      findPosts: post('/find', 'Find posts', [body('words', 'array(string())')], {
        annotations: { title: 'Find posts', readOnlyHint: true },
      }),
      listPosts: get('/posts', 'List posts', [cookie('show', 'array(string())', { style: 'form' }), cookie('theme')]),
      addPost: post('/posts', 'Add a post', [body('text')], { encoding: 'text' }),
      setPhoto: post('/photo', 'Set the photo of the user', [body('photo', ['file()', 'type(image/*)']), body('alt')], {
        encoding: 'multipart',
      }),
    },
  }),
  admits: ({ headers }) => String(headers.cookie).split('; ').includes(`session=${secrets.KEY}`),
  calls: [
    { tool: 'findPosts', args: { words: ['sea', 7] }, body: { words: ['sea', '7'] } },
    {
      tool: 'listPosts',
      args: { show: ['new', 'old'], theme: 'dark; a=b' },
      headers: { cookie: `show=new; show=old; theme=dark%3B%20a=b; session=${secrets.KEY}` },
    },
    refuses('listPosts', { show: [{}], theme: 'dark' }, 'INP002'),
    {
      tool: 'addPost',
      args: { text: 'Good day' },
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'Good day',
    },
    {
      tool: 'setPhoto',
      args: { photo, alt: 'Me' },
      body: {
        fields: [['alt', 'Me', 'text/plain']],
        files: [{ name: 'photo', filename: 'me.png', type: 'image/png', base64: 'aGVsbG8=' }],
      },
    },
  ],
  announced: {
    findPosts: {
      ...{ title: 'Find posts', readOnlyHint: true, destructiveHint: false },
      ...{ idempotentHint: true, openWorldHint: true },
    },
  },
};

const wiki: Case = {
  main: api('wiki', 'Pages of a wiki', {
    auth: apiKey('wiki_session'),
    tools: {
      getPage: get('/pages/{{name}}', 'Get a page', [
        insert('name'),
        cookie('view', 'object()', { style: 'form', explode: false }),
      ]),
      savePage: post('/pages', 'Save a page', [body('text')], {
        encoding: 'text',
      }),
      attachFile: post('/files', 'Attach a file', [body('file', 'file()')], { encoding: 'binary' }),
    },
  }),
  admits: ({ headers }) => String(headers.cookie).split('; ').includes(`wiki_session=${secrets.KEY}`),
  calls: [
    {
      tool: 'getPage',
      args: { name: 'Sea', view: { width: 80 } },
      asked: ['GET /pages/Sea'],
      headers: { cookie: `view=width,80; wiki_session=${secrets.KEY}` },
    },
    {
      tool: 'savePage',
      args: { text: '# Sea' },
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: '# Sea',
    },
    {
      tool: 'attachFile',
      args: { file: photo },
      headers: { 'content-type': 'image/png' },
      body: 'aGVsbG8=',
    },
  ],
};

const mail: Case = {
  main: api('mail', 'Messages of a mailbox', {
    auth: { type: 'basic', username: '{{LOGIN}}', password: '{{PASSWORD}}' },
    tools: {
      listMessages: get('/messages', 'List messages', [q], {
        pagination: { style: 'offset', parameter: 'offset', items: 'messages', maxPages },
      }),
      sendMessage: post('/messages/new', 'Send a message', [body('to'), body('attachments', 'array(file())')], {
        encoding: 'multipart',
      }),
      markMessages: post('/marks', 'Mark messages', [body('ids', 'array()', { style: 'form', explode: false })], {
        encoding: 'form',
      }),
    },
  }),
  admits: (request) => basic(request),
  lists: { '/messages': (messages) => ({ body: { messages } }) },
  calls: [
    ...gathers('listMessages', (messages) => ({ messages }), [
      'GET /messages?q=few',
      'GET /messages?q=few&offset=2',
      'GET /messages?q=few&offset=4',
      'GET /messages?q=few&offset=5',
    ]),
    {
      tool: 'sendMessage',
      args: { to: 'ada@example.com', attachments: [photo] },
      body: {
        fields: [['to', 'ada@example.com', 'text/plain']],
        files: [{ name: 'attachments', filename: 'me.png', type: 'image/png', base64: 'aGVsbG8=' }],
      },
    },
    { tool: 'markMessages', args: { ids: [7, 8] }, body: { ids: '7,8' } },
  ],
};

const builds: Case = {
  main: api('builds', 'Builds of software', {
    auth: { type: 'basic', username: '{{LOGIN}}', password: '{{PASSWORD}}' },
    tools: {
      listBuilds: get('/builds', 'List builds', [q], {
        pagination: { style: 'offset', parameter: 'offset', items: '', maxPages },
      }),
      findBuilds: get('/found', 'Find builds by branches', [
        query('branches', 'array(string())', { style: 'pipeDelimited' }),
      ]),
      startBuild: post(
        '/builds/new',
        'Start a build',
        [body('variables', 'record(string())', { style: 'deepObject' }), body('nodes', 'union(integer(), enum(all))')],
        { encoding: 'form' },
      ),
      addArtifact: post('/artifacts', 'Add an artifact', [body('artifact', 'file()')], {
        encoding: 'binary',
        headers: { 'Content-Type': 'application/zip' },
      }),
    },
  }),
  admits: (request) => basic(request),
  lists: { '/builds': (body) => ({ body }) },
  calls: [
    ...gathers('listBuilds', (items) => items),
    { tool: 'findBuilds', args: { branches: ['main', 'next'] }, asked: ['GET /found?branches=main%7Cnext'] },
    refuses('findBuilds', { branches: [{}] }, 'INP002'),
    {
      tool: 'startBuild',
      args: { variables: { A: 1, B: 'x&y' }, nodes: 'all' },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: { variables: { A: '1', B: 'x&y' }, nodes: 'all' },
    },
    refuses('startBuild', { variables: { A: {} }, nodes: 2 }, 'INP002'),
    refuses('startBuild', { variables: {}, nodes: 'some' }, 'INP004'),
    {
      tool: 'addArtifact',
      args: { artifact: hello.toString('base64') },
      headers: { 'content-type': 'application/zip' },
      body: 'aGVsbG8=',
    },
  ],
};

const depot: Case = {
  main: api('depot', 'Things in a depot', {
    auth: { ...oauth2, scopes: ['stock'] },
    tools: {
      listStock: get('/stock', 'List the stock', [q], {
        pagination: { style: 'page', parameter: 'page', items: 'items', maxPages },
      }),
      getShelves: get('/shelves{{shelf}}/rows{{row}}', 'Get the things of shelves', [
        insert('shelf', 'array()', { style: 'matrix' }),
        insert('row', 'array()', { style: 'label' }),
        header('X-Price', 'object()', { style: 'simple' }),
      ]),
      exportStock: get('/export', 'Export the stock as a table', [], { accept: 'text/csv' }),
      correctStock: post(
        '/corrections',
        'Correct what is there',
        [body('counts', 'record(integer())', { whole: true })],
        {
          annotations: { destructiveHint: false, idempotentHint: true },
        },
      ),
    },
  }),
  admits: bearer,
  answers: { '/export': { body: 'a,b', headers: { 'content-type': 'text/csv' } } },
  lists: { '/stock': (items) => ({ body: { items } }) },
  calls: [
    ...gathers('listStock', (items) => ({ items })),
    {
      tool: 'getShelves',
      args: { shelf: [1, 2], row: [3, 4], 'X-Price': { from: 10, to: 20 } },
      asked: ['GET /shelves;shelf=1,2/rows.3,4'],
      headers: { 'x-price': 'from,10,to,20' },
    },
    { tool: 'exportStock', headers: { accept: 'text/csv' }, data: 'a,b' },
    { tool: 'correctStock', args: { counts: { bolt: '3' } }, body: { bolt: 3 } },
  ],
  announced: {
    correctStock: {
      ...{ title: 'Correct Stock', readOnlyHint: false, destructiveHint: false },
      ...{ idempotentHint: true, openWorldHint: true },
    },
  },
};

const contacts: Case = {
  main: api('contacts', 'Contacts of a company', {
    auth: { ...oauth2, authMethod: 'body' },
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    tools: {
      listContacts: get('/contacts', 'List contacts', [q], {
        pagination: { style: 'link', next: 'next', items: 'contacts', maxPages },
      }),
      listVisits: get('/visits', 'List visits', [q], { pagination: { style: 'link', items: 'visits', maxPages } }),
      findContacts: get('/people{{name}}', 'Find contacts', [
        insert('name', 'object()', { style: 'label', explode: true }),
        query('filter', 'object({ city: string(), age: integer().optional() })', { style: 'deepObject' }),
        query('tags', 'array()', { style: 'form' }),
        header('Prefer', 'object()', { style: 'simple', explode: true }),
      ]),
      mergeContacts: post('/merge', 'Merge contacts', [body('ids', 'array()')], { encoding: 'json' }),
    },
  }),
  admits: bearer,
  lists: {
    '/contacts': (contacts, next) => ({ body: { contacts, next: next?.link ?? null } }),
    '/visits': (visits, next) => ({ body: { visits }, ...(next && { headers: { link: `<${next.link}>; rel=next` } }) }),
  },
  calls: [
    ...gathers('listContacts', (contacts) => ({ contacts, next: '/contacts?q=few&after=c2' })).slice(0, 1),
    ...gathers('listContacts', (contacts) => ({ contacts, next: '/contacts?q=many&after=c2' })).slice(1),
    ...gathers('listVisits', (visits) => ({ visits })),
    {
      tool: 'findContacts',
      args: { name: { first: 'Ada', last: 'L' }, filter: { city: 'Ulm' }, tags: ['a', 'b'], Prefer: { wait: 10 } },
      asked: ['GET /people.first=Ada.last=L?filter%5Bcity%5D=Ulm&tags=a&tags=b'],
      headers: { prefer: 'wait=10' },
    },
    refuses('findContacts', { name: {}, filter: {}, tags: [], Prefer: {} }, 'INP001'),
    {
      tool: 'mergeContacts',
      args: { ids: [7, 8] },
      headers: { 'content-type': 'application/json' },
      body: { ids: [7, 8] },
    },
  ],
};

export const loginCases: Case[] = [forum, wiki, mail, builds, depot, contacts];
