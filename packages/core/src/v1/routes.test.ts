import { expect, test } from 'vitest';
import { legacyToolName } from './routes.ts';

test.each([
  ['getSimplePrice', 'coingecko', 'get_simple_price_coingecko'],
  ['getURL2Name', 'luksoNetwork', 'get_url2_name_lukso_network'],
  ['/block/:id-hash', 'chain', '_block_id_hash_chain'],
  ['a'.repeat(70), 'shop', 'a'.repeat(63)],
  [`:${'a'.repeat(70)}`, 'shop', 'a'.repeat(62)],
])('%s of %s is %s', (routeName, namespace, expected) => {
  expect(legacyToolName(routeName, namespace)).toBe(expected);
});
