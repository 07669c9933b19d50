import type { ParsedTool, Template } from '@schemakit/core/internal';
import { isObject } from '@schemakit/core/internal';
import type { NoteOmission } from './export-codes.ts';
import type { JsonObject } from './wire-schema.ts';

/** A security scheme with the name that it should have, and the scopes that an operation asks for. */
export interface Scheme {
  name: string;
  scheme: JsonObject;
  scopes: readonly string[];
}

/** The security schemes of a tool, and its headers that are none. Values of secrets, and what is written in their place, are left out. */
export function planSecurity(
  tool: ParsedTool,
  auth: unknown,
  omit: NoteOmission,
): { schemes: Scheme[]; headers: ParsedTool['headers']; placements: ParsedTool['placements'] } {
  const schemes: Scheme[] = [];
  const isOfAuth = (place: string, name: string) =>
    isObject(auth) && auth.type === 'apiKey' && auth.in === place && auth.name === name;
  const headers = tool.headers.filter(({ name, value }) => {
    const isAuthorization = name.toLowerCase() === 'authorization';
    if (!isAuthorization && !isOfAuth('header', name) && secretsOf(value).length === 0) return true;
    schemes.push(isAuthorization ? authorization(tool, value, omit) : apiKey('header', name, value, omit));
    return false;
  });
  const placements = tool.placements.filter(({ key, location, value }) => {
    const isKey = location === 'query' || location === 'header' || location === 'cookie';
    if (!isKey || value.some(({ kind }) => kind === 'input')) return true;
    if (!isOfAuth(location, key) && secretsOf(value).length === 0) return true;
    schemes.push(apiKey(location, key, value, omit));
    return false;
  });
  return { schemes, headers, placements };
}

function secretsOf(value: Template): string[] {
  return value.flatMap((part) => (part.kind === 'secret' ? part.name : []));
}

function authorization({ credentials }: ParsedTool, value: Template, omit: NoteOmission): Scheme {
  if (credentials?.type === 'basic') {
    const names = [...secretsOf(credentials.username), ...secretsOf(credentials.password)];
    const scheme = { type: 'http', scheme: 'basic', description: described(names) };
    return { name: names[0] ?? 'basic', scheme, scopes: [] };
  }
  if (credentials?.type === 'oauth2') return oauth2(credentials, omit);
  const [first, second, ...others] = value;
  if (first?.kind === 'text' && /^bearer $/i.test(first.text) && others.length === 0 && second?.kind === 'secret') {
    const scheme = { type: 'http', scheme: 'bearer', description: described([second.name]) };
    return { name: second.name, scheme, scopes: [] };
  }
  return apiKey('header', 'Authorization', value, omit);
}

function oauth2(
  { clientId, clientSecret, url, form, authMethod }: Extract<ParsedTool['credentials'], { type: 'oauth2' }>,
  omit: NoteOmission,
): Scheme {
  const names = [...secretsOf(clientId), ...secretsOf(clientSecret)];
  const inUrl = secretsOf(url);
  if (inUrl.length > 0) {
    const message = `the token endpoint has the secret ${inUrl.join(', ')} in its address`;
    omit('EXP023', message, 'Its name stands for it in `tokenUrl`.');
  }
  const { scope = '', ...others } = form;
  const special = [...Object.keys(others), ...(authMethod === 'body' ? ['authMethod: body'] : [])];
  if (special.length > 0) {
    const message = `the token is asked for with ${special.join(' and ')}`;
    omit('EXP023', message, 'Tell clients in the description of the API.');
  }
  const scopes = scope.split(' ').filter((each) => each !== '');
  const tokenUrl = url.map((part) => (part.kind === 'text' ? part.text : 'name' in part ? part.name : '')).join('');
  const flow = { tokenUrl, scopes: Object.fromEntries(scopes.map((each) => [each, ''])) };
  const scheme = { type: 'oauth2', description: described(names), flows: { clientCredentials: flow } };
  return { name: names[0] ?? 'oauth2', scheme, scopes };
}

function apiKey(place: 'header' | 'query' | 'cookie', name: string, value: Template, omit: NoteOmission): Scheme {
  const names = secretsOf(value);
  if (names.length !== 1 || value.length !== 1) {
    // What the author wrote may be a secret.
    const shown = value.map((part) => (part.kind === 'secret' ? `{{${part.name}}}` : '…')).join('');
    const message = `${name} in the ${place} is ${shown}, not a secret on its own`;
    omit('EXP023', message, 'Clients must write the whole value; tell them in the description of the API.');
  }
  const scheme = { type: 'apiKey', in: place, name, ...(names.length > 0 && { description: described(names) }) };
  return { name: names[0] ?? 'apiKey', scheme, scopes: [] };
}

function described(names: readonly string[]): string {
  return names.length === 0
    ? 'Credentials.'
    : `The server parameter${names.length > 1 ? 's' : ''} ${names.join(' and ')}.`;
}
