import { field, isPlainObject, type PlainObject, textOrNull } from '../../findings/plain-object.ts';

/** The form of the fields of a card. `1.0+0.3` has both; `snake_case` is not the JSON of any version. */
export type Dialect = '1.0' | '0.3' | '1.0+0.3' | 'snake_case';

/** A card in the form of A2A 1.0. The values of its fields are still those of the peer, and may be of any type. */
export interface NormalCard {
  dialect: Dialect;
  fields: PlainObject;
  capabilities: PlainObject;
  /** Undefined if the card has no list of interfaces. */
  interfaces: DeclaredInterface[] | undefined;
}

/** What is no text is null. */
export interface DeclaredInterface {
  /** Where the card has it, such as `card.supportedInterfaces[0]`. */
  place: string;
  url: string | null;
  protocolBinding: string | null;
  protocolVersion: string | null;
  tenant: string | null;
}

/** How a binding is compared: in capitals. */
export function bindingOf(binding: unknown): string {
  return typeof binding === 'string' ? binding.trim().toUpperCase() : '';
}

const NAMES =
  'supportedInterfaces defaultInputModes defaultOutputModes documentationUrl iconUrl securitySchemes securityRequirements protocolVersion preferredTransport additionalInterfaces supportsAuthenticatedExtendedCard protocolBinding pushNotifications extendedAgentCard stateTransitionHistory';

/** Names of A2A by their form in snake_case, which some servers send. */
const CAMEL: ReadonlyMap<string, string> = new Map(
  NAMES.split(' ').map((name) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name]),
);

/** What other documents do not have. */
const TELLING = new Set([
  ...['supportedInterfaces', 'additionalInterfaces', 'preferredTransport', 'protocolVersion', 'capabilities', 'skills'],
  ...['defaultInputModes', 'defaultOutputModes'],
]);

export function hasCardFields(document: PlainObject): boolean {
  return Object.keys(document).some((name) => TELLING.has(CAMEL.get(name) ?? name));
}

/** Brings a card of any dialect into the form of A2A 1.0. */
export function normalCard(document: PlainObject): NormalCard {
  const fields = camelFields(document);
  const capabilities = camelFields(field(fields, 'capabilities'));
  const supported = field(fields, 'supportedInterfaces');
  const listed = Array.isArray(supported) ? supported.map(camelFields) : undefined;
  const isOld = ['url', 'additionalInterfaces', 'preferredTransport'].some((name) => field(fields, name) !== undefined);
  const isSnake = [document, field(document, 'capabilities'), ...(Array.isArray(supported) ? supported : [])].some(
    (part) => isPlainObject(part) && Object.keys(part).some((name) => CAMEL.has(name)),
  );
  const isNew = supported !== undefined || !isOld;
  const dialect = isSnake ? 'snake_case' : !isNew ? '0.3' : isOld ? '1.0+0.3' : '1.0';
  if (!isNew) capabilities.extendedAgentCard ??= field(fields, 'supportsAuthenticatedExtendedCard');
  const interfaces = isNew
    ? listed?.map((entry, index) => declared(entry, `card.supportedInterfaces[${index}]`))
    : oldInterfaces(fields);
  return { dialect, fields, capabilities, interfaces };
}

function declared(entry: PlainObject, place: string): DeclaredInterface {
  const text = (name: string): string | null => textOrNull(field(entry, name));
  return {
    ...{ place, url: text('url'), tenant: text('tenant') },
    ...{ protocolBinding: text('protocolBinding'), protocolVersion: text('protocolVersion') },
  };
}

/** The main interface is a part of the card itself; the list of others may repeat it. */
function oldInterfaces(card: PlainObject): DeclaredInterface[] {
  const { protocolVersion, preferredTransport, additionalInterfaces } = card;
  const others: unknown[] = Array.isArray(additionalInterfaces) ? additionalInterfaces : [];
  const old = (entry: PlainObject, protocolBinding: unknown, place: string): DeclaredInterface =>
    declared({ ...entry, protocolBinding, protocolVersion }, place);
  return [
    old(card, preferredTransport ?? 'JSONRPC', 'card'),
    ...others.map((entry, index) =>
      old(camelFields(entry), field(entry, 'transport'), `card.additionalInterfaces[${index}]`),
    ),
  ];
}

/** A copy with the names of A2A 1.0; empty if the value is no object. */
function camelFields(value: unknown): PlainObject {
  if (!isPlainObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [CAMEL.get(name) ?? name, part]));
}
