import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './is-public-address.ts';

const privateV4 = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
];
const reservedV4 = [
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
];

describe('isPublicAddress', () => {
  it.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '192.169.0.1', '2606:4700:4700::1111', '2a00:1450:4001::200e'])(
    'takes %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([...privateV4, ...reservedV4])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    '64:ff9b:1::808:808',
    '::127.0.0.1',
    '::8.8.8.8',
    '4000::1',
    // Teredo: a private server with a public client, and the other way round.
    '2001:0:7f00:1:0:0:f7f7:f7f7',
    '2001:0:808:808:0:0:80ff:fffe',
    '5f00::1',
  ])('refuses %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['', 'localhost', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '1.1.1.1 ', '[::1]', '1.1.1'])(
    'refuses %j, which is not a complete address',
    (text) => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );

  it('judges an IPv6 address that contains an IPv4 address by that one', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.constantFrom(...privateV4, ...reservedV4),
          fc.tuple(octet, octet, octet, octet).map((bytes) => bytes.join('.')),
        ),
        (v4) => {
          const expected = isPublicAddress(v4);
          for (const address of carriers(v4)) expect([address, isPublicAddress(address)]).toEqual([address, expected]);
        },
      ),
    );
  });
});

function carriers(v4: string): string[] {
  const bytes = v4.split('.').map(Number);
  const hex = (values: number[]): string =>
    values
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('')
      .replace(/(.{4})(?=.)/g, '$1:');
  const turned = hex(bytes.map((byte) => byte ^ 0xff));
  return [
    `::ffff:${v4}`,
    `::ffff:${hex(bytes)}`,
    `0:0:0:0:0:FFFF:${hex(bytes)}`,
    `::ffff:0:${v4}`,
    `64:ff9b::${v4}`,
    `2002:${hex(bytes)}::1`,
    `2001:0:${hex(bytes)}:0:0:${turned}`,
    `2001:0:808:808:0:0:${turned}`,
  ];
}
