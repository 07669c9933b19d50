import { field, isPlainObject, type PlainObject, texts } from '../../findings/plain-object.ts';

/** What an agent card says about the registration of the agent by ERC-8004. */
export interface Erc8004Link {
  /** The URL of the registration, as the card has it. */
  serviceUrl: string | null;
  /** Entries with `agentId` and `agentRegistry`, as the card has them. */
  registrations: PlainObject[];
}

const MAX_REGISTRATIONS = 20;
const MAX_URL = 500;

const NAME = /(?:erc|eip)[-_]?8004/i;

/** Finds the link in the services, the registrations or the extensions of a card. Undefined if there is none. */
export function erc8004Link(document: PlainObject): Erc8004Link | undefined {
  const services = ['services', 'endpoints'].flatMap((name) => objects(field(document, name)));
  const service = services.find((entry) => isNamed(entry, ['name', 'type', 'protocol']));
  const extensions = objects(field(field(document, 'capabilities'), 'extensions'));
  const extension = extensions.find((entry) => isNamed(entry, ['uri']));
  const params = field(extension, 'params');
  const lists = [document, params].flatMap((from) => objects(field(from, 'registrations')));
  const single = isRegistration(params) ? [params] : [];
  const registrations = [...lists, ...single].filter(isRegistration).slice(0, MAX_REGISTRATIONS);
  if (service === undefined && extension === undefined && registrations.length === 0) return undefined;
  return { serviceUrl: urlIn(service) ?? urlIn(params), registrations };
}

function isNamed(entry: PlainObject, names: readonly string[]): boolean {
  return names.some((name) => NAME.test(String(field(entry, name)).slice(0, MAX_URL)));
}

function isRegistration(entry: unknown): entry is PlainObject {
  return field(entry, 'agentId') !== undefined && typeof field(entry, 'agentRegistry') === 'string';
}

function urlIn(entry: unknown): string | null {
  const found = texts(['endpoint', 'url', 'agentURI', 'agentUri'].map((name) => field(entry, name)));
  return found.find(({ length }) => length <= MAX_URL) ?? null;
}

function objects(value: unknown): PlainObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
