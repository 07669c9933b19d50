import type { DataAttack, DataGroup } from './attack.ts';

/** An address of this machine that does not look like one. `%PORT%` is where a server listens on 127.0.0.1. */
export interface AddressAttack extends DataAttack {
  address: string;
}

/** A name that is resolved to these addresses, one list for each time that it is looked up. */
export interface LookupAttack extends DataAttack {
  answers: readonly (readonly string[])[];
}

const blocked = { harm: 'reaches the network', outcome: 'ADDRESS_BLOCKED' } as const;
const invalid = { harm: 'reaches the network', outcome: 'VAL019' } as const;

export const spellings: readonly AddressAttack[] = [
  { name: 'writes the address as one number', address: 'http://2130706433:%PORT%', ...blocked },
  { name: 'writes the address in hexadecimal', address: 'http://0x7f000001:%PORT%', ...blocked },
  { name: 'writes the address in octal', address: 'http://0177.0.0.01:%PORT%', ...blocked },
  { name: 'mixes decimal, octal and hexadecimal', address: 'http://0x7f.0.0x0.01:%PORT%', ...blocked },
  { name: 'omits parts of the address', address: 'http://127.1:%PORT%', ...blocked },
  { name: 'uses the unspecified address', address: 'http://0.0.0.0:%PORT%', ...blocked },
  { name: 'writes zero', address: 'http://0:%PORT%', ...blocked },
  { name: 'maps the address into IPv6', address: 'http://[::ffff:127.0.0.1]:%PORT%', ...blocked },
  { name: 'maps the address into IPv6 in hexadecimal', address: 'http://[::ffff:7f00:1]:%PORT%', ...blocked },
  { name: 'writes IPv6 without compression', address: 'http://[0:0:0:0:0:ffff:127.0.0.1]:%PORT%', ...blocked },
  { name: 'writes the name in capitals', address: 'http://LOCALHOST:%PORT%', ...blocked },
  { name: 'ends the address with a dot', address: 'http://127.0.0.1.:%PORT%', ...blocked },
  { name: 'uses full-width digits', address: 'http://１２７.０.０.１:%PORT%', ...blocked },
  { name: 'uses circled digits', address: 'http://①②⑦.⓪.⓪.①:%PORT%', ...blocked },
  { name: 'uses the dots of another script', address: 'http://127。0。0。1:%PORT%', ...blocked },
  { name: 'percent-encodes the address', address: 'http://%31%32%37.0.0.1:%PORT%', ...blocked },
  { name: 'omits the slashes', address: 'http:127.0.0.1:%PORT%', ...blocked },
  { name: 'writes backslashes', address: 'http:\\\\127.0.0.1:%PORT%', ...blocked },
  { name: 'puts a public host name before an @', address: 'http://api.example.com@127.0.0.1:%PORT%', ...invalid },
  {
    name: 'puts a public host name and a port before an @',
    address: 'http://api.example.com:443@127.0.0.1:%PORT%',
    ...invalid,
  },
];

export const lookups: readonly LookupAttack[] = [
  { name: 'has a name that resolves to this machine', answers: [['127.0.0.1']], ...blocked },
  { name: 'has a name that resolves to this machine in IPv6', answers: [['::ffff:127.0.0.1']], ...blocked },
  { name: 'has a name with a public and a private address', answers: [['127.0.0.1', '93.184.216.34']], ...blocked },
  {
    name: 'has a name that resolves to another address the second time',
    answers: [['93.184.216.34'], ['127.0.0.1']],
    harm: 'reaches the network',
    outcome: 'the checked address is used',
  },
];

export const addresses: DataGroup = { title: 'Addresses', attacks: [...spellings, ...lookups] };
