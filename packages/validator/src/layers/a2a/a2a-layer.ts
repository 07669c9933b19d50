import type { Layer } from '../../assess/layer.ts';
import { asMessage } from '../../findings/finding.ts';
import { shownUrl } from '../../findings/mask-secrets.ts';
import { distinct, field, isPlainObject, type PlainObject, texts } from '../../findings/plain-object.ts';
import { plainText } from '../../findings/plain-text.ts';
import { checkCard } from './check-card.ts';
import { checkSignatures } from './check-signatures.ts';
import { answerEvidence } from './get-card.ts';
import { bindingOf, type NormalCard, normalCard } from './normal-card.ts';
import { type PaymentExtensions, paymentExtensions } from './payment-extensions.ts';
import { interfaceFindings, type ProbedInterface, probeInterfaces } from './probe-interfaces.ts';

/** The agent card at the origin: its form, its signatures, and whether its interfaces answer. */
export const a2aLayer: Layer = {
  name: 'a2a',
  async run(context) {
    const { shared, clock } = context;
    const found = await clock.within(shared.card());
    if (found === undefined)
      return { detected: false, state: 'not-evaluated', skipped: `No agent card yet, when ${clock.why()}.` };
    if (found.document === undefined) {
      const skipped = `No agent card: ${asMessage(found.fault)}`;
      if (!found.isUncertain) return { detected: false, state: 'not-detected', skipped };
      return { detected: false, state: 'not-evaluated', skipped, findings: [found.fault] };
    }
    const { document, answer, fault, erc8004 } = found;
    const card = normalCard(document);
    const payments = paymentExtensions(card.capabilities, answer.headers);
    const checked = checkCard(card, payments, answerEvidence(answer));
    const [probed, signed] = await Promise.all([
      probeInterfaces(card.interfaces ?? [], context),
      checkSignatures(document, context),
    ]);
    return {
      detected: true,
      categories: {
        ...categoriesOf(card, payments, probed),
        hasValidStructure: checked.hasValidStructure,
        hasErc8004ServiceLink: erc8004 !== undefined,
      },
      entries: {
        url: shownUrl(new URL(context.url.origin)),
        cardUrl: shownUrl(new URL(answer.url)),
        ...entriesOf(card, payments, probed),
        signatures: signed.signatures,
        erc8004ServiceUrl: shown(erc8004?.serviceUrl),
        timestamp: new Date().toISOString(),
      },
      findings: [
        ...(fault === undefined ? [] : [fault]),
        ...checked.findings,
        ...signed.findings,
        ...interfaceFindings(probed),
      ],
    };
  },
};

function categoriesOf(
  { fields, capabilities, interfaces = [] }: NormalCard,
  { ap2, x402 }: PaymentExtensions,
  probed: readonly ProbedInterface[],
): Record<string, boolean> {
  const { skills, provider, securitySchemes, documentationUrl } = fields;
  const bindings = interfaces.map(({ protocolBinding }) => bindingOf(protocolBinding));
  const isOut = ({ state }: ProbedInterface): boolean => state === 'fails' || state === 'blocked';
  return {
    // What was not probed may answer.
    isReachable: probed.length === 0 || !probed.every(isOut),
    hasAgentCard: true,
    hasSkills: Array.isArray(skills) && skills.length > 0,
    hasSecuritySchemes: isPlainObject(securitySchemes) && Object.keys(securitySchemes).length > 0,
    hasProvider: isPlainObject(provider),
    supportsStreaming: capabilities.streaming === true,
    supportsPushNotifications: capabilities.pushNotifications === true,
    supportsJsonRpc: bindings.includes('JSONRPC'),
    supportsGrpc: bindings.includes('GRPC'),
    supportsExtendedCard: capabilities.extendedAgentCard === true,
    hasDocumentation: typeof documentationUrl === 'string' && documentationUrl !== '',
    supportsAp2: ap2 !== undefined,
    supportsX402: x402 !== undefined,
    supportsEmbeddedFlow: ap2 !== undefined && x402 !== undefined,
  };
}

const MAX_ITEMS = 200;

function entriesOf(
  { fields, interfaces = [], dialect }: NormalCard,
  { ap2, x402, uris, header }: PaymentExtensions,
  probed: readonly ProbedInterface[],
): PlainObject {
  const { provider } = fields;
  const skills: unknown[] = Array.isArray(fields.skills) ? fields.skills : [];
  return {
    dialect,
    agentName: shown(fields.name),
    agentDescription: shown(fields.description, 2000),
    agentVersion: shown(fields.version),
    providerOrganization: shown(field(provider, 'organization')),
    providerUrl: shown(field(provider, 'url')),
    documentationUrl: shown(fields.documentationUrl),
    skillCount: skills.length,
    skills: skills
      .slice(0, MAX_ITEMS)
      .map((skill) => ({ id: shown(field(skill, 'id')), name: shown(field(skill, 'name')) })),
    protocolBindings: shownTexts(interfaces.map(({ protocolBinding }) => protocolBinding)),
    protocolVersion: shown(interfaces[0]?.protocolVersion),
    interfaces: probed.map(({ url, protocolBinding, protocolVersion, state, reason }) => ({
      url: shown(url),
      protocolBinding: shown(protocolBinding),
      protocolVersion: shown(protocolVersion),
      state,
      reason: shown(reason),
    })),
    defaultInputModes: shownTexts(fields.defaultInputModes),
    defaultOutputModes: shownTexts(fields.defaultOutputModes),
    securitySchemes: schemesOf(fields.securitySchemes),
    ap2Version: shown(ap2?.version),
    ap2Roles: ap2?.roles ?? [],
    x402Version: shown(x402?.version),
    extensionUris: shownTexts(uris),
    extensions: shown(header, 1000),
  };
}

/** A text that is safe to print; null for what is no text. */
function shown(value: unknown, max: number = 300): string | null {
  return typeof value === 'string' ? plainText(value, max) : null;
}

function shownTexts(values: unknown): string[] {
  const list = distinct(texts(values)).slice(0, MAX_ITEMS);
  return list.map((text) => plainText(text, 300));
}

/** The names of OpenAPI, by the fields of A2A 1.0, in lower case. */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['apikey', 'apiKey'],
  ['httpauth', 'http'],
  ['oauth2', 'oauth2'],
  ['openidconnect', 'openIdConnect'],
  ['mtls', 'mutualTLS'],
]);

/** A2A 0.3 has a `type`; A2A 1.0 has one field that is named after it, such as `apiKeySecurityScheme`. */
function schemesOf(schemes: unknown): { name: string; type: string | null }[] {
  const list = Object.entries(isPlainObject(schemes) ? schemes : {}).slice(0, MAX_ITEMS);
  return list.map(([name, scheme]) => {
    const keys = texts([field(field(scheme, 'scheme'), '$case'), ...Object.keys(isPlainObject(scheme) ? scheme : {})]);
    const known = keys.map((key) => SCHEMES.get(key.toLowerCase().replaceAll('_', '').replace('securityscheme', '')));
    return { name: plainText(name, 100), type: shown(field(scheme, 'type'), 50) ?? known.find(Boolean) ?? null };
  });
}
