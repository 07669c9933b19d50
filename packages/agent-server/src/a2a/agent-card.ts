import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { AgentCard, canonicalizeAgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import { duplicateInterfacesForLegacy } from '@a2a-js/sdk/compat/v0_3';
import type { AgentServerSettings, AgentToolConfig } from '../manifest/config.ts';
import type { AgentParts } from '../serve/serve-agents.ts';
import { inputModes, textField } from './message-input.ts';

/** What a skill takes from a manifest: the namespaces of its tools are tags, the questions of its tests are examples. */
export interface SkillManifest {
  name: string;
  tools?: Readonly<Record<string, unknown>>;
  tests?: readonly { input: unknown }[];
}

/** The media types of answers. */
const outputModes = ['application/json', 'text/markdown'];

/** The agent card of a server (A2A 1.0, 4.4.1): each agent is a skill. */
export function agentCard(
  { name, version, agents, auth }: AgentParts,
  { url, manifests, fields }: { url: string; manifests: readonly SkillManifest[]; fields: object },
): AgentCard {
  const configs = [...agents.values()].map(({ config }) => config);
  const [only, other] = configs;
  const card = {
    ...(only !== undefined && other === undefined
      ? { name: only.name, description: only.description }
      : { name, description: configs.map((config) => `${config.name}: ${config.description}`).join('\n') }),
    version,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    ...securityOf(auth),
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
    skills: configs.map((config) =>
      skillOf(
        config,
        manifests.find((manifest) => manifest.name === config.name),
      ),
    ),
    ...fields,
  };
  const supported = [{ url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' }];
  return { ...AgentCard.fromJSON(card), supportedInterfaces: duplicateInterfacesForLegacy(supported, ['JSONRPC']) };
}

function skillOf(
  { name, description, inputSchema }: AgentToolConfig,
  { tools = {}, tests = [] }: Partial<SkillManifest> = {},
) {
  const namespaces = Object.keys(tools).flatMap((id) => (id.includes('/') ? id.slice(0, id.indexOf('/')) : []));
  const takesText = textField(inputSchema)?.isText === true;
  return {
    id: name,
    name,
    description: takesText ? description : `${description}\nArguments, as a data part: ${JSON.stringify(inputSchema)}`,
    // A2A requires one.
    tags: namespaces.length > 0 ? [...new Set(namespaces)] : [name],
    examples: tests.map(({ input }) => (typeof input === 'string' ? input : JSON.stringify(input))),
    inputModes: takesText ? inputModes : ['application/json'],
  };
}

/** A function may check anything: then the user's own fields say what clients need. */
function securityOf(auth: AgentServerSettings['auth']): object {
  if (auth === undefined || typeof auth === 'function') return {};
  const [issuer] = typeof auth === 'object' ? [auth.metadata.authorization_servers].flat() : [];
  const token = issuer === undefined ? {} : { bearerFormat: 'JWT', description: `An access token of ${issuer}` };
  return {
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', ...token } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  };
}

/** Signs cards with a private key (JWS, RFC 7515), and has the keys that verify them. */
export interface CardSigner {
  sign(card: AgentCard): Promise<AgentCard>;
  /** A JWK set (RFC 7517). */
  keys: { keys: object[] };
}

/** @param options.keysUrl Where the keys are served. Undefined for a key of another kind than EC, Ed25519 and RSA. */
export function cardSigner(privateKey: KeyObject, { keysUrl }: { keysUrl: string }): CardSigner | undefined {
  const alg = algorithmOf(privateKey);
  if (alg === undefined) return undefined;
  const publicKey = createPublicKey(privateKey);
  const kid = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const signature = generateAgentCardSignature(privateKey, { alg, kid, typ: 'JOSE', jku: keysUrl });
  return {
    async sign(card) {
      // The SDK (1.3.0) loses the security schemes of a card that it verifies, so such a card has a signature for it, too.
      const whole = AgentCard.toJSON(card) as AgentCard;
      const forms = canonicalizeAgentCard(whole) === canonicalizeAgentCard(card) ? [card] : [card, whole];
      const signed = await Promise.all(forms.map(signature));
      return { ...card, signatures: signed.flatMap(({ signatures }) => signatures) };
    },
    keys: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }] },
  };
}

/** The JWS algorithm of a key (RFC 7518, RFC 8037). */
function algorithmOf({ type, asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  if (type !== 'private') return undefined;
  const algorithms: Record<string, string> = {
    'ec prime256v1': 'ES256',
    'ec secp384r1': 'ES384',
    'ed25519 ': 'EdDSA',
    'rsa ': 'RS256',
  };
  return algorithms[`${asymmetricKeyType} ${asymmetricKeyDetails?.namedCurve ?? ''}`];
}
