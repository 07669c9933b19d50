import { isObject } from '@schemakit/core/internal';
import { joinPointer } from '../read/json-pointer.ts';
import type { JsonObject } from '../read/read-document.ts';
import type { ImportContext, Located } from './import-context.ts';
import type { PlannedParameter } from './planned-parameter.ts';

/** The credentials of an operation. Operations with different ones are written to different files. */
export interface PlannedAuth {
  auth?: JsonObject;
  /** Further keys, where an API wants several. */
  headers: Record<string, string>;
  parameters: readonly PlannedParameter[];
  /** The names of the secrets. */
  requiredServerParams: string[];
}

/** Plans the first alternative of `security` that the format can say (OpenAPI, "Security Requirement Object"). */
export function planAuth(operation: Located<JsonObject>, namespace: string, context: ImportContext): PlannedAuth {
  const { document } = context;
  const isOwn = operation.value.security !== undefined;
  const security = isOwn ? operation.value.security : document.security;
  const pointer = isOwn ? joinPointer(operation.pointer, 'security') : '/security';
  const alternatives = Array.isArray(security) ? security.filter(isObject) : [];
  if (alternatives.length === 0) return { headers: {}, parameters: [], requiredServerParams: [] };
  const problems: string[] = [];
  for (const [index, alternative] of alternatives.entries()) {
    const planned = planAlternative(alternative, namespace, context);
    if (typeof planned === 'string') {
      problems.push(planned);
      continue;
    }
    if (alternatives.length > 1) {
      const unused = alternatives.filter((_, other) => other !== index);
      const names = unused.map((each) => Object.keys(each).join(' with ') || 'no credentials');
      const message = `calls with ${names.join(' or ')}, because ${Object.keys(alternative).join(' with ') || 'no credentials'} can be used`;
      context.omit('IMP023', pointer, message, 'Change `auth` of the written file to use others.');
    }
    return planned;
  }
  return context.leaveOut(
    'IMP012',
    pointer,
    problems.join('; '),
    'Write the tool by hand, with a handler that signs the request.',
  );
}

/** @returns a problem, as text, if the format cannot say it */
function planAlternative(alternative: JsonObject, namespace: string, context: ImportContext): PlannedAuth | string {
  const planned: PlannedAuth = { headers: {}, parameters: [], requiredServerParams: [] };
  const parameters: PlannedParameter[] = [];
  const schemes = isObject(context.document.components) ? context.document.components.securitySchemes : undefined;
  const used = Object.entries(alternative).map(([name, scopes]) => {
    const at = joinPointer('/components/securitySchemes', name);
    const { value } = context.resolve({ value: isObject(schemes) ? schemes[name] : undefined, pointer: at });
    return { name, scopes, scheme: value, isKey: isObject(value) && value.type === 'apiKey' };
  });
  // Keys can stand beside other credentials, which can only be in `auth`.
  for (const { name, scopes, scheme } of used.toSorted((one, other) => Number(one.isKey) - Number(other.isKey))) {
    if (!isObject(scheme)) return `the security scheme ${JSON.stringify(name)} is not defined`;
    const secret = (word: string) => secretName(namespace, name, word, schemes);
    const one = planScheme(scheme, { name, scopes, secret });
    if (typeof one === 'string') return one;
    planned.requiredServerParams.push(...one.secrets);
    if (planned.auth === undefined) planned.auth = one.auth;
    else if (one.auth.type !== 'apiKey') return `${name} cannot be combined with ${planned.auth.type}`;
    else if (one.auth.in === 'header') planned.headers[String(one.auth.name)] = String(one.auth.value);
    else parameters.push(fixedKey(one.auth));
  }
  return { ...planned, parameters };
}

function fixedKey({ in: place, name, value }: JsonObject): PlannedParameter {
  const location = place === 'cookie' ? 'cookie' : 'query';
  return { key: String(name), location, shape: { type: 'string' }, value: String(value), examples: [] };
}

interface SchemePlace {
  name: string;
  scopes: unknown;
  secret(word: string): string;
}

function planScheme(
  scheme: JsonObject,
  { name, scopes, secret }: SchemePlace,
): { auth: JsonObject; secrets: string[] } | string {
  const fill = (secretName: string) => `{{${secretName}}}`;
  const bearer = () => ({ auth: { type: 'bearer', token: fill(secret('TOKEN')) }, secrets: [secret('TOKEN')] });
  const kind = String(scheme.scheme).toLowerCase();
  if (scheme.type === 'apiKey') {
    const key = secret('API_KEY');
    return { auth: { type: 'apiKey', in: scheme.in, name: scheme.name, value: fill(key) }, secrets: [key] };
  }
  if (scheme.type === 'http' && kind === 'basic') {
    const secrets = [secret('USERNAME'), secret('PASSWORD')];
    const [username = '', password = ''] = secrets.map(fill);
    return { auth: { type: 'basic', username, password }, secrets };
  }
  if (scheme.type === 'http' && kind === 'bearer') return bearer();
  // Its other flows need a browser: the user gets the token, and the tool sends it.
  if (scheme.type === 'openIdConnect') return bearer();
  if (scheme.type !== 'oauth2')
    return `the security scheme ${JSON.stringify(name)} (${[scheme.type, scheme.scheme].filter(Boolean).join(' ')}) is not supported`;
  const flow = isObject(scheme.flows) ? scheme.flows.clientCredentials : undefined;
  if (!isObject(flow) || typeof flow.tokenUrl !== 'string' || !/^https?:\/\//.test(flow.tokenUrl)) return bearer();
  const secrets = [secret('CLIENT_ID'), secret('CLIENT_SECRET')];
  const [clientId = '', clientSecret = ''] = secrets.map(fill);
  const wanted = Array.isArray(scopes) ? scopes : [];
  const grant = { tokenUrl: flow.tokenUrl, ...(wanted.length > 0 && { scopes: wanted }), clientId, clientSecret };
  return { auth: { type: 'oauth2', flow: 'clientCredentials', ...grant }, secrets };
}

/** `PETS_API_KEY`; with the name of the scheme where the document has several of its type. */
function secretName(namespace: string, scheme: string, word: string, schemes: unknown): string {
  const prefix = namespace.toUpperCase();
  const all = isObject(schemes) ? Object.entries(schemes) : [];
  const type = all.find(([name]) => name === scheme)?.[1];
  const same = all.filter(
    ([, other]) => isObject(other) && isObject(type) && other.type === type.type && other.scheme === type.scheme,
  );
  if (same.length < 2) return `${prefix}_${word}`;
  const own = scheme
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toUpperCase();
  return own.endsWith(word) || (/_(KEY|TOKEN)$/.test(own) && /KEY|TOKEN/.test(word))
    ? `${prefix}_${own}`
    : `${prefix}_${own}_${word}`;
}
