import type { DataAttack, DataGroup } from './attack.ts';

/** What a token endpoint does with a client that sends its secret in the body. */
export interface IssuerAttack extends DataAttack {
  does:
    | 'redirects'
    | 'repeats the secret'
    | 'repeats the secret late'
    | 'repeats the header'
    | 'breaks the line'
    | 'is silent';
}

/** What an API does that gets an access token. */
export interface TokenAttack extends DataAttack {
  does: 'repeats the token' | 'refuses every token' | 'redirects';
}

/** What a caller passes to a tool whose requests are signed, or carry a key, in the query. */
export interface SignedAttack extends DataAttack {
  /** The credential that the schema declares. */
  by: 'signature in the query' | 'signature in a header' | 'key in the query' | 'key in a cookie' | 'token';
  /** Parameters of the tool that are in the place of the credential. */
  parameter: { key: string; location: 'query' | 'header' | 'cookie'; primitive?: string; style?: string };
  value: unknown;
}

/** What a schema from elsewhere declares, with a secret that it was granted for an honest token endpoint only. */
export interface StrangerAttack extends DataAttack {
  tokenUrl: 'honest' | 'own';
}

const leaks = { harm: 'leaks a secret' } as const;
const adds = { harm: 'injects into the request' } as const;
const masked = { ...leaks, outcome: 'masked' };
const replaced = { ...adds, outcome: 'no effect' };
const query = (key: string) => ({ key, location: 'query' }) as const;

export const issuerAttacks: readonly IssuerAttack[] = [
  { name: 'redirects the client to another origin', does: 'redirects', ...leaks, outcome: 'TOKEN_REFUSED' },
  { name: 'repeats the client secret in its error', does: 'repeats the secret', ...masked },
  { name: 'repeats the client secret where a long error is cut', does: 'repeats the secret late', ...masked },
  { name: 'repeats the header with the client secret', does: 'repeats the header', ...masked },
  { name: 'gives a token that starts another header', does: 'breaks the line', ...adds, outcome: 'TOKEN_INVALID' },
  { name: 'never answers', does: 'is silent', harm: 'hangs the calling process', outcome: 'ETIMEDOUT' },
];

export const tokenAttacks: readonly TokenAttack[] = [
  { name: 'repeats the access token', does: 'repeats the token', ...masked },
  { name: 'refuses every access token', does: 'refuses every token', harm: 'floods', outcome: 'HTTP_401' },
  {
    name: 'redirects a request with a token to another origin',
    does: 'redirects',
    ...leaks,
    outcome: 'without the token',
  },
];

export const signedAttacks: readonly SignedAttack[] = [
  {
    name: 'adds a signed parameter',
    by: 'signature in the query',
    parameter: query('note'),
    value: 'a&admin=1',
    ...replaced,
  },
  {
    name: 'gives a signature of their own',
    by: 'signature in the query',
    parameter: query('signature'),
    value: 'theirs',
    ...replaced,
  },
  {
    name: 'gives a signature as a member of an object',
    by: 'signature in the query',
    parameter: { ...query('more'), primitive: 'object()', style: 'form' },
    value: { 'signature[]': 'theirs' },
    ...adds,
    outcome: 'INP012',
  },
  {
    name: 'gives a signature in a header of another case',
    by: 'signature in a header',
    parameter: { key: 'x-SIGNATURE', location: 'header' },
    value: 'theirs',
    ...replaced,
  },
  { name: 'gives a key of their own', by: 'key in the query', parameter: query('key'), value: 'theirs', ...replaced },
  {
    name: 'gives a key as a member of an object',
    by: 'key in the query',
    parameter: { ...query('more'), primitive: 'object()', style: 'form' },
    value: { 'key[]': 'theirs' },
    ...adds,
    outcome: 'INP012',
  },
  {
    name: 'gives a key as another cookie',
    by: 'key in a cookie',
    parameter: { key: 'note', location: 'cookie' },
    value: 'x; key=theirs',
    ...replaced,
  },
  {
    name: 'gives a token of their own',
    by: 'token',
    parameter: { key: 'authorization', location: 'header' },
    value: 'Bearer theirs',
    ...replaced,
  },
];

export const strangerAttacks: readonly StrangerAttack[] = [
  {
    name: 'sends your client secret to a token endpoint of its own',
    tokenUrl: 'own',
    ...leaks,
    outcome: 'SEND_NOT_GRANTED',
  },
  {
    name: 'has an honest token endpoint give it an access token for its own API',
    tokenUrl: 'honest',
    ...leaks,
    outcome: 'SEND_NOT_GRANTED',
  },
];

/** Two tenants of one server call the same schema, each with a client of their own. */
export const tenantAttack: DataAttack = {
  name: 'uses the client id of another tenant without its secret',
  harm: "reads another schema's data",
  outcome: 'TOKEN_REFUSED',
};

export const credentialsGroup: DataGroup = {
  title: 'Credentials for an API',
  attacks: [
    ...issuerAttacks.map((attack) => ({ ...attack, name: `A token endpoint ${attack.name}` })),
    ...tokenAttacks.map((attack) => ({ ...attack, name: `An API ${attack.name}` })),
    ...signedAttacks.map((attack) => ({ ...attack, name: `A caller ${attack.name}, for a ${attack.by}` })),
    ...strangerAttacks.map((attack) => ({ ...attack, name: `A schema from elsewhere ${attack.name}` })),
    { ...tenantAttack, name: `A tenant ${tenantAttack.name}` },
  ],
};
