import type { LayerContext } from '../../assess/layer.ts';
import type { Session } from '../../connect/session.ts';
import { httpEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { field, isPlainObject, type PlainObject, parseJson, textOrNull, texts } from '../../findings/plain-object.ts';
import { lookOf, nameList, plainText } from '../../findings/plain-text.ts';
import type { HttpTrace } from '../../network/exchange.ts';
import type { QualityCode } from './quality-codes.ts';
import { hasText } from './schema-problems.ts';

const CARD_TYPE = 'application/mcp-server-card+json';
const CATALOG_TYPE = 'application/ai-catalog+json';
const CATALOG = '/.well-known/ai-catalog.json';
const MAX_MS = 4000;

/** What is published about a server before a connection. */
export interface CardView extends PlainObject {
  url: string | null;
  name: string | null;
  version: string | null;
  remotes: string[];
  /** Whether a catalog of the origin names the card. */
  isInCatalog: boolean;
}

interface Document {
  trace: HttpTrace;
  content: PlainObject;
}

/** Compares the Server Card and the AI Catalog with what the server says. Undefined without both. */
export async function checkCard(
  session: Session,
  { url, settings, network, clock }: Pick<LayerContext, 'url' | 'settings' | 'network' | 'clock'>,
): Promise<{ view: CardView; findings: Finding[] } | undefined> {
  const get = async (target: URL): Promise<Document | undefined> => {
    try {
      const answer = await network.get(target, Math.min(MAX_MS, clock.remaining() / 2));
      const content = answer.status === 200 ? parseJson(answer.text()) : undefined;
      const { status, headers } = answer;
      const trace = { method: 'GET', url: answer.url, status, headers, body: answer.text() };
      return isPlainObject(content) ? { trace, content } : undefined;
    } catch {
      // No document, or none in time.
      return undefined;
    }
  };
  const home = new URL(`${url.pathname.replace(/\/$/, '')}/server-card`, url.origin);
  const [atHome, catalog] = await Promise.all([get(home), get(new URL(CATALOG, url.origin))]);
  const listed = cardsIn(catalog?.content, url);
  // A card may be elsewhere, but is followed only to the origin of the server.
  const elsewhere = listed.find((place) => place.origin === url.origin && place.href !== home.href);
  const card = atHome ?? (elsewhere && (await get(elsewhere)));
  if (card === undefined && catalog === undefined) return undefined;
  const findings = [
    ...(catalog === undefined ? [] : catalogFindings(catalog, { listed, card })),
    ...(card === undefined ? [] : cardFindings(card, session, { url, headers: settings.headers })),
  ];
  const remotes = remotesOf(card?.content).flatMap((remote) => textOrNull(field(remote, 'url')) ?? []);
  const view: CardView = {
    url: card?.trace.url ?? null,
    name: textOrNull(field(card?.content, 'name')),
    version: textOrNull(field(card?.content, 'version')),
    remotes: remotes.slice(0, 20),
    isInCatalog: listed.some(({ href }) => href === card?.trace.url),
  };
  return { view, findings };
}

/** Places of Server Cards in an AI Catalog. */
function cardsIn(catalog: PlainObject | undefined, base: URL): URL[] {
  const entries = field(catalog, 'entries');
  const cards = Array.isArray(entries) ? entries.filter((entry) => field(entry, 'type') === CARD_TYPE) : [];
  return cards.slice(0, 100).flatMap((entry) => {
    const place = field(entry, 'url');
    return (typeof place === 'string' && URL.parse(place, base.href)) || [];
  });
}

function remotesOf(card: PlainObject | undefined): unknown[] {
  const remotes = field(card, 'remotes');
  return Array.isArray(remotes) ? remotes.slice(0, 100) : [];
}

function catalogFindings(
  { trace, content }: Document,
  { listed, card }: { listed: readonly URL[]; card: Document | undefined },
): Finding[] {
  const evidence = httpEvidence(trace);
  if (!Array.isArray(field(content, 'entries')))
    return [finding('CARD-006', 'ai-catalog', '`entries` is not an array', { evidence })];
  const isMissing = card === undefined && listed.some(({ origin }) => origin === new URL(trace.url).origin);
  return [
    ...(isMissing
      ? [finding('CARD-006', 'ai-catalog', `No card at ${nameList(listed.map(({ href }) => href))}`, { evidence })]
      : []),
    ...deliveryFindings(trace, { type: CATALOG_TYPE, location: 'ai-catalog' }),
  ];
}

function deliveryFindings(
  { headers, ...rest }: HttpTrace,
  { type, location }: { type: string; location: string },
): Finding[] {
  const actual = headers['content-type'] ?? 'none';
  const problems = [
    ...(actual.toLowerCase().startsWith(type)
      ? []
      : [`the Content-Type is ${plainText(actual, 80)}, expected ${type}`]),
    ...(headers['access-control-allow-origin'] === '*' ? [] : ['`Access-Control-Allow-Origin: *` is missing']),
  ];
  if (problems.length === 0) return [];
  const evidence = httpEvidence({ headers, ...rest }, { names: ['access-control-allow-origin'] });
  return [finding('CARD-005', location, problems.join('; '), { evidence })];
}

const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const MAX_DESCRIPTION = 100;

function cardFindings(
  { trace, content }: Document,
  session: Session,
  { url, headers }: { url: URL; headers: Record<string, string> },
): Finding[] {
  const evidence = httpEvidence(trace);
  const say = (code: QualityCode, problems: readonly string[]): Finding[] =>
    problems.length === 0 ? [] : [finding(code, 'server-card', problems.join('; '), { evidence })];
  const remotes = remotesOf(content);
  const own = remotes.find((remote) => isSameUrl(field(remote, 'url'), url));
  return [
    ...say('CARD-001', malformedIn(content)),
    ...(remotes.length > 0 && own === undefined
      ? say('CARD-002', [
          `The remotes are ${nameList(
            remotes.map((remote) => String(textOrNull(field(remote, 'url')))),
            { max: 3 },
          )}, not ${url.origin}${url.pathname}`,
        ])
      : []),
    ...say('CARD-003', versionProblems(own, session)),
    ...say('CARD-004', contradictions(content, own, session, headers)),
    ...deliveryFindings(trace, { type: CARD_TYPE, location: 'server-card' }),
  ];
}

function malformedIn(card: PlainObject): string[] {
  const [name, version, description, remotes] = ['name', 'version', 'description', 'remotes'].map((key) =>
    field(card, key),
  );
  const isRemote = (remote: unknown): boolean => ['type', 'url'].every((key) => hasText(field(remote, key)));
  return [
    ...(typeof name === 'string' && NAME.test(name) ? [] : ['`name` is not of the form com.example/name']),
    ...(hasText(version) ? [] : ['`version` is missing']),
    ...(hasText(description) ? [] : ['`description` is missing']),
    ...(hasText(description) && description.length > MAX_DESCRIPTION
      ? [`\`description\` has ${description.length} characters, at most ${MAX_DESCRIPTION} are allowed`]
      : []),
    ...(remotes === undefined || (Array.isArray(remotes) && remotes.every(isRemote))
      ? []
      : ['`remotes` is not an array of objects with `type` and `url`']),
  ];
}

/** URLs with variables in braces match none. */
function isSameUrl(value: unknown, url: URL): boolean {
  const parsed = typeof value === 'string' ? URL.parse(value) : null;
  const path = (one: URL): string => one.pathname.replace(/\/$/, '');
  return parsed !== null && parsed.origin === url.origin && path(parsed) === path(url);
}

function versionProblems(remote: unknown, { protocolVersion, supportedVersions }: Session): string[] {
  const claimed = texts(field(remote, 'supportedProtocolVersions')).slice(0, 100);
  if (claimed.length === 0 || protocolVersion === null) return [];
  const lacking = claimed.includes(protocolVersion)
    ? []
    : [`${protocolVersion}, which the server speaks, is not in it`];
  // The list of a server of 2026-07-28 has the versions without a handshake only.
  const stateless = claimed.filter((version) => version >= '2026-07-28');
  const unspoken = stateless.filter((version) => supportedVersions.length > 0 && !supportedVersions.includes(version));
  return [...lacking, ...(unspoken.length > 0 ? [`the server does not speak ${nameList(unspoken)}`] : [])];
}

function contradictions(
  card: PlainObject,
  remote: unknown,
  { server }: Session,
  headers: Record<string, string>,
): string[] {
  const [version, live] = [field(card, 'version'), field(server, 'version')];
  const [name, liveName] = [textOrNull(field(card, 'name')), textOrNull(field(server, 'name'))];
  const asked = field(remote, 'headers');
  const isNeeded = (header: unknown): boolean => field(header, 'isRequired') === true;
  const needed = Array.isArray(asked)
    ? asked
        .slice(0, 100)
        .filter(isNeeded)
        .map((header) => String(field(header, 'name')))
    : [];
  const given = new Set(Object.keys(headers).map((one) => one.toLowerCase()));
  const unneeded = needed.filter((header) => !given.has(header.toLowerCase()));
  return [
    ...(hasText(version) && hasText(live) && version !== live
      ? [`the version is ${plainText(version, 40)}, that of the server ${plainText(live, 40)}`]
      : []),
    ...(name !== null && liveName !== null && !isSameName(name, liveName)
      ? [`the name is ${plainText(name, 80)}, that of the server ${plainText(liveName, 80)}`]
      : []),
    ...(unneeded.length > 0 ? [`the server answers without the required header ${nameList(unneeded)}`] : []),
  ];
}

/** A card puts a domain before the name of the server. */
function isSameName(name: string, live: string): boolean {
  const bare = (text: string): string =>
    lookOf(text.slice(text.lastIndexOf('/') + 1))
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return bare(name) === bare(live);
}
