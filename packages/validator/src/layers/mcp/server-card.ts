import type { LayerContext } from '../../assess/layer.ts';
import type { Session } from '../../connect/session.ts';
import { httpEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import {
  field,
  isPlainObject,
  listOf,
  type PlainObject,
  parseJson,
  present,
  textOrNull,
  texts,
} from '../../findings/plain-object.ts';
import { lookOf, nameList, plainText } from '../../findings/plain-text.ts';
import type { HttpTrace } from '../../network/exchange.ts';
import type { QualityCode } from './quality-codes.ts';
import { hasText } from './schema-problems.ts';

const CARD_TYPE = 'application/mcp-server-card+json';
const CATALOG_TYPE = 'application/ai-catalog+json';
const CATALOG = '/.well-known/ai-catalog.json';
const READERS = 'access-control-allow-origin';
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

interface Document extends HttpTrace {
  place: 'server-card' | 'ai-catalog';
  content: PlainObject;
}

/** Compares the Server Card and the AI Catalog with what the server says. Undefined without both. */
export async function checkCard(
  session: Session,
  { url, settings, network, clock }: Pick<LayerContext, 'url' | 'settings' | 'network' | 'clock'>,
): Promise<{ view: CardView; findings: Finding[] } | undefined> {
  const get = async (place: Document['place'], target: URL): Promise<Document | undefined> => {
    try {
      const answer = await network.get(target, Math.min(MAX_MS, clock.remaining() / 2));
      const { status, headers } = answer;
      const content = status === 200 ? parseJson(answer.text()) : undefined;
      return isPlainObject(content)
        ? { place, content, method: 'GET', url: answer.url, status, headers, body: answer.text() }
        : undefined;
    } catch {
      // No document, or none in time.
      return undefined;
    }
  };
  const home = new URL(`${url.pathname.replace(/\/$/, '')}/server-card`, url.origin);
  const [atHome, catalog] = await Promise.all([
    get('server-card', home),
    get('ai-catalog', new URL(CATALOG, url.origin)),
  ]);
  const listed = cardsIn(catalog?.content, url);
  // A card may be elsewhere, but is followed only to the origin of the server.
  const elsewhere = listed.find((place) => place.origin === url.origin && place.href !== home.href);
  const card = atHome ?? (elsewhere && (await get('server-card', elsewhere)));
  if (card === undefined && catalog === undefined) return undefined;
  const checks = [
    ...(card === undefined ? [] : cardProblems(card, session, { url, headers: settings.headers })),
    ...(catalog === undefined ? [] : catalogProblems(catalog, { listed, card })),
    ...present([card, catalog]).map((document): Problems => ['CARD-005', document, deliveryProblems(document)]),
  ];
  const urls = remotesOf(card?.content).map((remote) => field(remote, 'url'));
  return {
    view: {
      url: card?.url ?? null,
      name: textOrNull(field(card?.content, 'name')),
      version: textOrNull(field(card?.content, 'version')),
      remotes: texts(urls).slice(0, 20),
      isInCatalog: listed.some(({ href }) => href === card?.url),
    },
    findings: checks.flatMap(([code, document, problems]) => {
      const evidence = httpEvidence(document, { names: [READERS] });
      const text = present(problems).join('; ');
      return text === '' ? [] : [finding(code, document.place, text, { evidence })];
    }),
  };
}

/** What is wrong with a document, in one finding. */
type Problems = [code: QualityCode, document: Document, problems: (string | false)[]];

const MAX_LISTED = 100;

/** Places of Server Cards in an AI Catalog. */
function cardsIn(catalog: PlainObject | undefined, base: URL): URL[] {
  const cards = listOf(field(catalog, 'entries')).filter((entry) => field(entry, 'type') === CARD_TYPE);
  const places = texts(cards.slice(0, MAX_LISTED).map((entry) => field(entry, 'url')));
  return places.flatMap((place) => URL.parse(place, base.href) ?? []);
}

function remotesOf(card: PlainObject | undefined): unknown[] {
  return listOf(field(card, 'remotes')).slice(0, MAX_LISTED);
}

function catalogProblems(
  catalog: Document,
  { listed, card }: { listed: readonly URL[]; card: Document | undefined },
): Problems[] {
  const isMissing = card === undefined && listed.some(({ origin }) => origin === new URL(catalog.url).origin);
  const problems = [
    !Array.isArray(field(catalog.content, 'entries')) && '`entries` is not an array',
    isMissing && `No card at ${nameList(listed.map(({ href }) => href))}`,
  ];
  return [['CARD-006', catalog, problems]];
}

function deliveryProblems({ place, headers }: Document): (string | false)[] {
  const expected = place === 'server-card' ? CARD_TYPE : CATALOG_TYPE;
  const { 'content-type': type = 'none' } = headers;
  return [
    !type.toLowerCase().startsWith(expected) && `the Content-Type is ${plainText(type, 80)}, expected ${expected}`,
    headers[READERS] !== '*' && '`Access-Control-Allow-Origin: *` is missing',
  ];
}

function cardProblems(
  card: Document,
  session: Session,
  { url, headers }: { url: URL; headers: Record<string, string> },
): Problems[] {
  const remotes = remotesOf(card.content);
  const own = remotes.find((remote) => isSameUrl(field(remote, 'url'), url));
  const isElsewhere = remotes.length > 0 && own === undefined;
  const named = nameList(texts(remotes.map((remote) => field(remote, 'url'))), { max: 3 }) || 'without URLs';
  return [
    ['CARD-001', card, malformedIn(card.content)],
    ['CARD-002', card, [isElsewhere && `The remotes are ${named}, not ${url.origin}${url.pathname}`]],
    ['CARD-003', card, versionProblems(own, session)],
    ['CARD-004', card, [...contradictions(card.content, session), unneededHeaders(own, headers)]],
  ];
}

const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const MAX_DESCRIPTION = 100;

function malformedIn({ name, version, description, remotes = [] }: PlainObject): (string | false)[] {
  const isRemote = (remote: unknown): boolean => ['type', 'url'].every((key) => hasText(field(remote, key)));
  const { length } = hasText(description) ? description : '';
  return [
    !(typeof name === 'string' && NAME.test(name)) && '`name` is not of the form com.example/name',
    !hasText(version) && '`version` is missing',
    length === 0 && '`description` is missing',
    length > MAX_DESCRIPTION && `\`description\` has ${length} characters, at most ${MAX_DESCRIPTION} are allowed`,
    !(Array.isArray(remotes) && remotes.every(isRemote)) &&
      '`remotes` is not an array of objects with `type` and `url`',
  ];
}

/** URLs with variables in braces match none. */
function isSameUrl(value: unknown, url: URL): boolean {
  const parsed = typeof value === 'string' ? URL.parse(value) : null;
  const path = (one: URL): string => one.pathname.replace(/\/$/, '');
  return parsed?.origin === url.origin && path(parsed) === path(url);
}

function versionProblems(remote: unknown, { protocolVersion, supportedVersions }: Session): (string | false)[] {
  const claimed = texts(field(remote, 'supportedProtocolVersions')).slice(0, MAX_LISTED);
  if (claimed.length === 0 || protocolVersion === null) return [];
  // The list of a server of 2026-07-28 has the versions without a handshake only.
  const stateless = claimed.filter((version) => version >= '2026-07-28');
  const unspoken = stateless.filter((version) => supportedVersions.length > 0 && !supportedVersions.includes(version));
  return [
    !claimed.includes(protocolVersion) && `${protocolVersion}, which the server speaks, is not in it`,
    unspoken.length > 0 && `the server does not speak ${nameList(unspoken)}`,
  ];
}

/** Where the card says something else than the server. */
function contradictions(card: PlainObject, { server }: Session): (string | false)[] {
  const differs = (key: string, sameAs: (text: string) => string): string | false => {
    const [told, live] = [field(card, key), field(server, key)];
    if (!hasText(told) || !hasText(live) || sameAs(told) === sameAs(live)) return false;
    return `the ${key} is ${plainText(told, 80)}, that of the server ${plainText(live, 80)}`;
  };
  return [differs('version', (version) => version), differs('name', bareName)];
}

/** Without the domain that a card puts before the name of the server. */
function bareName(name: string): string {
  const bare = lookOf(name.slice(name.lastIndexOf('/') + 1));
  return bare.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Headers that the card requires, but that were not sent. */
function unneededHeaders(remote: unknown, headers: Record<string, string>): string | false {
  const given = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const asked = listOf(field(remote, 'headers')).slice(0, MAX_LISTED);
  const needed = texts(
    asked.filter((header) => field(header, 'isRequired') === true).map((header) => field(header, 'name')),
  );
  const unneeded = needed.filter((name) => !given.has(name.toLowerCase()));
  return unneeded.length > 0 && `the server answers without the required header ${nameList(unneeded)}`;
}
