import type { HttpAnswer } from '@schemakit/http';
import type { Layer, LayerContext, LayerOutcome } from '../../assess/layer.ts';
import { asMessage } from '../../findings/finding.ts';
import { shownUrl } from '../../findings/mask-secrets.ts';
import { distinct, field, isPlainObject, type PlainObject, texts } from '../../findings/plain-object.ts';
import { plainText } from '../../findings/plain-text.ts';
import { checkCard, isGrpc } from './check-card.ts';
import { type CheckedSignature, checkSignatures } from './check-signatures.ts';
import { type AgentCard, answerEvidence } from './get-card.ts';
import { type NormalCard, normalCard } from './normal-card.ts';
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
    const { document, answer } = found;
    if (document === undefined || answer === undefined) return undetected(found);
    const card = normalCard(document);
    const payments = paymentExtensions(card.capabilities, answer);
    const checked = checkCard(card, payments, answerEvidence(answer));
    const [probed, signed] = await Promise.all([
      probeInterfaces(card.interfaces ?? [], context),
      checkSignatures(document, context),
    ]);
    const seen: Seen = { found, answer, card, payments, probed, signatures: signed.signatures };
    return {
      detected: true,
      categories: categoriesOf(seen, checked.hasValidStructure),
      entries: entriesOf(seen, context),
      findings: [
        ...(found.fault === undefined ? [] : [found.fault]),
        ...checked.findings,
        ...signed.findings,
        ...interfaceFindings(probed),
      ],
    };
  },
};

function undetected({ fault, isUncertain }: AgentCard): LayerOutcome {
  const skipped = `No agent card: ${fault === undefined ? 'no answer' : asMessage(fault)}`;
  if (!isUncertain) return { detected: false, state: 'not-detected', skipped };
  return { detected: false, state: 'not-evaluated', skipped, ...(fault !== undefined && { findings: [fault] }) };
}

interface Seen {
  found: AgentCard;
  answer: HttpAnswer;
  card: NormalCard;
  payments: PaymentExtensions;
  probed: ProbedInterface[];
  signatures: CheckedSignature[];
}

function categoriesOf({ found, card, payments, probed }: Seen, hasValidStructure: boolean): Record<string, boolean> {
  const { fields, capabilities, interfaces = [] } = card;
  const { skills, provider, securitySchemes, documentationUrl } = fields;
  const isOut = ({ state }: ProbedInterface): boolean => state === 'fails' || state === 'blocked';
  return {
    // What was not probed may answer.
    isReachable: probed.length === 0 || !probed.every(isOut),
    hasAgentCard: true,
    hasValidStructure,
    hasSkills: Array.isArray(skills) && skills.length > 0,
    hasSecuritySchemes: isPlainObject(securitySchemes) && Object.keys(securitySchemes).length > 0,
    hasProvider: isPlainObject(provider),
    supportsStreaming: capabilities.streaming === true,
    supportsPushNotifications: capabilities.pushNotifications === true,
    supportsJsonRpc: interfaces.some(({ protocolBinding }) => /^\s*jsonrpc\s*$/i.test(String(protocolBinding))),
    supportsGrpc: interfaces.some(({ protocolBinding }) => isGrpc(protocolBinding)),
    supportsExtendedCard: capabilities.extendedAgentCard === true,
    hasDocumentation: typeof documentationUrl === 'string' && documentationUrl !== '',
    supportsAp2: payments.ap2 !== undefined,
    supportsX402: payments.x402 !== undefined,
    supportsEmbeddedFlow: payments.ap2 !== undefined && payments.x402 !== undefined,
    hasErc8004ServiceLink: found.erc8004 !== undefined,
  };
}

const MAX_ITEMS = 200;

function entriesOf({ found, answer, card, payments, probed, signatures }: Seen, { url }: LayerContext): PlainObject {
  const { fields, interfaces = [], dialect } = card;
  const { skills, provider } = fields;
  const { ap2, x402 } = payments;
  const skillList: unknown[] = Array.isArray(skills) ? skills : [];
  return {
    url: shownUrl(new URL(url.origin)),
    cardUrl: shownUrl(new URL(answer.url)),
    dialect,
    agentName: shown(fields.name),
    agentDescription: shown(fields.description, 2000),
    agentVersion: shown(fields.version),
    providerOrganization: shown(field(provider, 'organization')),
    providerUrl: shown(field(provider, 'url')),
    documentationUrl: shown(fields.documentationUrl),
    skillCount: skillList.length,
    skills: skillList
      .slice(0, MAX_ITEMS)
      .map((skill) => ({ id: shown(field(skill, 'id')), name: shown(field(skill, 'name')) })),
    protocolBindings: shownTexts(interfaces.map(({ protocolBinding }) => protocolBinding)),
    protocolVersion: shown(interfaces[0]?.protocolVersion),
    interfaces: probed.map(({ url: given, protocolBinding, protocolVersion, state, reason }) => ({
      url: shown(given),
      protocolBinding: shown(protocolBinding),
      protocolVersion: shown(protocolVersion),
      state,
      reason: shown(reason),
    })),
    defaultInputModes: shownTexts(fields.defaultInputModes),
    defaultOutputModes: shownTexts(fields.defaultOutputModes),
    securitySchemes: schemesOf(fields.securitySchemes),
    signatures: signatures.map(({ state, algorithm, keyId, keyUrl }) => ({
      state,
      algorithm: shown(algorithm),
      keyId: shown(keyId),
      keyUrl: shown(keyUrl),
    })),
    ap2Version: shown(ap2?.version),
    ap2Roles: ap2?.roles ?? [],
    x402Version: shown(x402?.version),
    extensionUris: shownTexts(payments.uris),
    extensions: shown(payments.header, 1000),
    erc8004ServiceUrl: shown(found.erc8004?.serviceUrl),
    timestamp: new Date().toISOString(),
  };
}

function shown(value: unknown, max: number = 300): string | null {
  return typeof value === 'string' ? plainText(value, max) : null;
}

function shownTexts(values: unknown): string[] {
  return distinct(texts(values))
    .slice(0, MAX_ITEMS)
    .map((text) => plainText(text, 300));
}

/** The names of OpenAPI, by the fields of A2A 1.0. */
const SCHEMES = new Map([
  ['apikey', 'apiKey'],
  ['httpauth', 'http'],
  ['oauth2', 'oauth2'],
  ['openidconnect', 'openIdConnect'],
  ['mtls', 'mutualTLS'],
]);

/** A2A 0.3 has a `type`; A2A 1.0 has one field that is named after it. */
function schemesOf(schemes: unknown): { name: string; type: string | null }[] {
  return Object.entries(isPlainObject(schemes) ? schemes : {})
    .slice(0, MAX_ITEMS)
    .map(([name, scheme]) => {
      const names = [field(field(scheme, 'scheme'), '$case'), ...Object.keys(isPlainObject(scheme) ? scheme : {})];
      const keys = texts(names).map((key) =>
        key
          .toLowerCase()
          .replaceAll('_', '')
          .replace(/securityscheme$/, ''),
      );
      const known = keys.flatMap((key) => SCHEMES.get(key) ?? []);
      return { name: plainText(name, 100), type: shown(field(scheme, 'type'), 50) ?? known[0] ?? null };
    });
}
