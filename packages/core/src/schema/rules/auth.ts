import { fieldsOf, valuesOf } from '../format/fields.generated.ts';
import { type Fields, isObject } from '../json.ts';
import type { RuleReport } from '../rule-report.ts';
import type { Credentials, Header, Placement } from '../schema.ts';
import type { Template } from '../template.ts';
import { reportUnknownFields, textArray } from './fields.ts';
import { parseSecretTemplate } from './placeholders.ts';
import { ownHeaders } from './placement.ts';
import { controls, headerName, reportUnencrypted } from './root.ts';

/** What `auth` adds to the request of each tool. */
export interface AuthParts {
  header?: Header;
  placement?: Placement;
  /** For a header whose value is computed when a tool is called. */
  credentials?: Credentials;
}

interface AuthContext {
  secrets: ReadonlySet<string>;
  headers: readonly Header[];
  report: RuleReport;
}

const definitions = { bearer: 'BearerAuth', basic: 'BasicAuth', apiKey: 'ApiKeyAuth', oauth2: 'OAuth2Auth' } as const;
const path = 'main.auth';

const examples: Readonly<Record<AuthType, string>> = {
  bearer: "Write auth: { type: 'bearer', token: '{{TOKEN}}' }.",
  basic: "Write auth: { type: 'basic', username: '{{LOGIN}}', password: '{{PASSWORD}}' }.",
  apiKey: "Write auth: { type: 'apiKey', in: 'header', name: 'X-Api-Key', value: '{{API_KEY}}' }.",
  oauth2:
    "Write auth: { type: 'oauth2', flow: 'clientCredentials', tokenUrl: 'https://…', clientId: '{{CLIENT_ID}}', clientSecret: '{{CLIENT_SECRET}}' }.",
};

/** Parses `auth` of a main (docs/format.md, "`auth`"). One that is not valid is ignored, with a warning. */
export function parseAuth(main: Fields, { secrets, headers, report }: AuthContext): AuthParts {
  const { auth } = main;
  if (auth === undefined) return {};
  const ignore = (place: string, problem: string, hint?: string): AuthParts =>
    report('VAL077', place, `${problem}; auth is ignored`, hint) ?? {};
  const type = isObject(auth) && Object.hasOwn(definitions, String(auth.type)) ? (auth.type as AuthType) : undefined;
  if (!isObject(auth) || type === undefined)
    return ignore(path, `auth must be an object with a type: ${Object.keys(definitions).join(', ')}`, examples.bearer);
  reportUnknownFields(auth, fieldsOf[definitions[type]], { path, report });
  const faults = [...faultsOf(type, auth)];
  for (const [name, expected] of faults) ignore(`${path}.${name}`, `auth.${name} must be ${expected}`, examples[type]);
  if (faults.length > 0) return {};
  const tokenUrl = type === 'oauth2' ? probeUrl(String(auth.tokenUrl)) : null;
  if (tokenUrl !== null) reportUnencrypted(tokenUrl, { path: `${path}.tokenUrl`, report });
  // All fields were checked.
  const text = (name: string) => String(auth[name]);
  const template = (name: string, value: string = text(name)): Template =>
    parseSecretTemplate(value, { secrets, path: `${path}.${name}`, place: path, report });
  const written = secretFields[type].find((name) => text(name) !== '' && !/\{\{[^{}]+\}\}/.test(text(name)));
  if (written !== undefined) {
    const hint = `Write ${written}: '{{NAME}}', and the name in main.requiredServerParams.`;
    report('VAL078', `${path}.${written}`, `auth.${written} is in the file, where anyone can read it`, hint);
  }
  const parts: AuthParts = {};
  if (type === 'apiKey') Object.assign(parts, apiKeyParts(text('in'), text('name'), template('value')));
  else if (type === 'bearer')
    parts.header = { name: 'Authorization', value: template('token', `Bearer ${auth.token}`) };
  else {
    const name = freeName(type === 'basic' ? 'BASIC_CREDENTIALS' : 'ACCESS_TOKEN', secrets);
    const scheme: Template[number] = { kind: 'text', text: type === 'basic' ? 'Basic ' : 'Bearer ' };
    parts.header = { name: 'Authorization', value: [scheme, { kind: 'secret', name }] };
    parts.credentials =
      type === 'basic'
        ? { type, name, username: template('username'), password: template('password') }
        : {
            ...{ type, name, tokenUrl: text('tokenUrl'), url: template('tokenUrl') },
            ...{ clientId: template('clientId'), clientSecret: template('clientSecret') },
            form: {
              ...(auth.scopes !== undefined && { scope: (textArray(auth.scopes) ?? []).join(' ') }),
              ...(auth.audience !== undefined && { audience: text('audience') }),
            },
            authMethod: auth.authMethod === 'body' ? 'body' : 'basic',
          };
  }
  const own = parts.header?.name.toLowerCase();
  const other = headers.find(({ name }) => name.toLowerCase() === own);
  if (other !== undefined) {
    const message = `main.headers and auth both set ${other.name}; that of auth is sent`;
    report('VAL077', `main.headers.${other.name}`, message, 'Remove one of them.');
  }
  return parts;
}

type AuthType = keyof typeof definitions;

const secretFields: Readonly<Record<AuthType, readonly string[]>> = {
  bearer: ['token'],
  basic: ['password'],
  apiKey: ['value'],
  oauth2: ['clientSecret'],
};

/** The fields that are missing or not valid, and what they must be. */
function* faultsOf(type: AuthType, auth: Fields): Generator<[name: string, expected: string]> {
  const optional = ['type', 'scopes', 'audience', 'authMethod'];
  for (const name of fieldsOf[definitions[type]]) {
    const value = auth[name];
    const known = knownValues[`${definitions[type]}.${name}`];
    if (value === undefined && optional.includes(name)) continue;
    if (name === 'scopes') {
      if (!textArray(value)?.every((scope) => /^\S+$/.test(scope))) yield [name, 'an array of scopes without spaces'];
    } else if (name === 'flow') {
      if (value !== 'clientCredentials') yield [name, "'clientCredentials'"];
    } else if (known !== undefined) {
      if (!known.includes(String(value))) yield [name, `one of ${known.join(', ')}`];
    } else if (typeof value !== 'string' || controls.test(value)) yield [name, 'a line of text'];
    else if (value.trim() === '' && type !== 'basic') yield [name, 'text'];
    else if (name === 'token' && /^bearer\s/i.test(value)) yield [name, 'the token alone, to which Bearer is added'];
    else if (name === 'username' && value.includes(':')) yield [name, 'a user name without a colon'];
    else if (name === 'tokenUrl' && !isWebUrl(value)) yield [name, 'an http(s) URL without credentials'];
    else if (name === 'name' && auth.in !== 'query' && !headerName.test(value)) yield [name, 'a name without spaces'];
    else if (name === 'name' && auth.in === 'header' && ownHeaders.has(value.toLowerCase()))
      yield [name, 'a header that the HTTP client does not set itself'];
  }
}

const knownValues: Readonly<Record<string, readonly string[] | undefined>> = valuesOf;

/** The URL with a word for each placeholder. */
function probeUrl(text: string): URL | null {
  return URL.parse(text.replace(/\{\{[^{}]*\}\}/g, 'x'));
}

function isWebUrl(text: string): boolean {
  const url = probeUrl(text);
  return /^https?:$/.test(url?.protocol ?? '') && url?.username === '' && url.password === '' && url.hash === '';
}

function apiKeyParts(place: string, key: string, value: Template): AuthParts {
  if (place === 'header') return { header: { name: key, value } };
  return { placement: { key, location: place === 'query' ? 'query' : 'cookie', value, optional: false } };
}

/** A name for a computed secret that no server parameter has. */
function freeName(name: string, secrets: ReadonlySet<string>): string {
  return secrets.has(name) ? freeName(`${name}_`, secrets) : name;
}
