import { expect, test } from 'vitest';
import { curlCommand } from './curl-command.ts';
import { createVaults } from './secret-vault.ts';

const plain = createVaults({})({ hasHandlers: true });
const request = { url: 'https://shop.example/a', method: 'GET', headers: {}, body: undefined };

test('a plain request is a plain command', () => {
  expect(curlCommand(request, plain)).toBe('curl https://shop.example/a');
});

test('a header that curl would read from a file is left out', () => {
  const headers = { '@/etc/passwd': '', 'a b': 'x', 'X-Good': '@/etc/passwd' };
  expect(curlCommand({ ...request, headers }, plain)).toBe(
    "curl --header 'X-Good: @/etc/passwd' \\\n  https://shop.example/a",
  );
});

test('a secret is a variable, or a placeholder if its name is not valid for one', () => {
  const vault = createVaults({ SHOP_KEY: 'value-1234', 'shop-key': 'value-5678' })({ hasHandlers: true });
  const headers = { a: `x ${vault.visible.SHOP_KEY}'`, b: String(vault.visible['shop-key']), c: 'value-1234' };
  expect(curlCommand({ ...request, headers }, vault)).toBe(
    [
      `curl --header 'a: x '"$SHOP_KEY"''\\'''`,
      "--header 'b: ''{{shop-key}}'",
      "--header 'c: [REDACTED]'",
      'https://shop.example/a',
    ].join(' \\\n  '),
  );
});
