import type { Random } from './random.ts';

/** Things that APIs are about. */
export const things = [
  'station',
  'invoice',
  'vessel',
  'recipe',
  'parcel',
  'stadium',
  'glacier',
  'patent',
  'tariff',
  'sensor',
  'library',
  'auction',
  'voucher',
  'orbit',
  'museum',
  'timber',
  'wallet',
  'bridge',
  'harvest',
  'ticket',
  'channel',
  'reservoir',
  'species',
  'contract',
] as const;

/** What answers say about them. */
export const fields = [
  'name',
  'title',
  'status',
  'country',
  'region',
  'currency',
  'price',
  'marketCap',
  'volume24h',
  'createdAt',
  'updatedAt',
  'owner',
  'latitude',
  'longitude',
  'capacity',
  'rating',
  'url',
  'license',
  'checksum',
  'blockNumber',
  'timestamp',
  'rank',
  'symbol',
  'isActive',
  'population',
  'temperature',
  'humidity',
  'elevation',
  'category',
  'language',
  'source',
  'percentChange',
] as const;

const adjectives = [
  'latest',
  'public',
  'historical',
  'regional',
  'aggregated',
  'verified',
  'daily',
  'cached',
  'ranked',
  'open',
] as const;
const purposes = [
  'for dashboards',
  'by identifier',
  'within a period',
  'near a place',
  'as a time series',
  'for one market',
  'with totals',
] as const;
const remarks = [
  'Results are paged; ask for the next page with the cursor of the answer.',
  'Values are updated every five minutes and may be estimated at the end of a period.',
  'Use the search first to find identifiers, since names are not unique across regions.',
  'The upstream limits callers to sixty requests a minute.',
  'Times are UTC in ISO 8601; amounts are in the currency of the answer.',
] as const;

/** A sentence or two as authors of schemas write them. */
export function describeTool(random: Random, thing: string): string {
  const opening = `Get ${random.pick(adjectives)} ${thing} data ${random.pick(purposes)}.`;
  return random.chance(0.6) ? `${opening} ${random.pick(remarks)}` : opening;
}

/** A few words on a field. */
export function describeField(random: Random, field: string): string {
  return `${field.replace(/([A-Z0-9]+)/g, ' $1').toLowerCase()} of the entry, ${random.pick(purposes)}`;
}

/** `station` as `Station`. */
export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
