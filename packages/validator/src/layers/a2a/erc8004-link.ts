import { field, isPlainObject, type PlainObject, texts } from '../../findings/plain-object.ts';

/** What an agent card says about the registration of the agent by ERC-8004. */
export interface Erc8004Link {
  /** The URL of the registration, as the card has it. */
  serviceUrl: string | null;
  /** Entries with `agentId` or `agentRegistry`, as the card has them. */
  registrations: PlainObject[];
}

const MAX_REGISTRATIONS = 20;
const MAX_URL = 500;

const NAME = /(?:erc|eip)[-_]?8004/i;

/** Finds the link in the services, the registrations or the extensions of a card. Undefined if there is none. */
export function erc8004Link(card: PlainObject): Erc8004Link | undefined {
  const services = [...objects(card, 'services'), ...objects(card, 'endpoints')];
  const extensions = [...objects(card, 'extensions'), ...objects(field(card, 'capabilities'), 'extensions')];
  const links = [...services, ...extensions].filter(isOfErc8004);
  const params = links.map((link) => field(link, 'params')).filter(isPlainObject);
  const registrations = [...params, ...[card, ...params].flatMap((from) => objects(from, 'registrations'))]
    .filter((entry) => ['agentId', 'agentRegistry'].some((name) => field(entry, name) !== undefined))
    .slice(0, MAX_REGISTRATIONS);
  if (links.length === 0 && registrations.length === 0) return undefined;
  return { serviceUrl: [...services.filter(isOfErc8004), ...params].flatMap(urlIn)[0] ?? null, registrations };
}

function isOfErc8004(link: PlainObject): boolean {
  const names = texts(['name', 'type', 'protocol', 'uri'].map((key) => field(link, key)));
  return names.some((name) => NAME.test(name.slice(0, MAX_URL)));
}

function urlIn(entry: PlainObject): string[] {
  const urls = texts(['endpoint', 'url', 'agentURI', 'agentUri'].map((name) => field(entry, name)));
  return urls.filter(({ length }) => length <= MAX_URL).slice(0, 1);
}

function objects(from: unknown, name: string): PlainObject[] {
  const list = field(from, name);
  return Array.isArray(list) ? list.filter(isPlainObject) : [];
}
