/** Valid texts of formats (JSON Schema validation 7.3, and those that servers use beside), by number: 0 is the plainest. */
const FORMATS: Readonly<Record<string, (number: number) => string>> = {
  date: day,
  'date-time': (number) => `${day(number)}T00:00:00Z`,
  time: (number) => `00:00:${twoDigits(number)}Z`,
  duration: (number) => `P${number + 1}D`,
  email: (number) => `test${number || ''}@example.com`,
  hostname: (number) => `${number === 0 ? '' : `a${number}.`}example.com`,
  ip: (number) => `192.0.2.${number + 1}`,
  ipv4: (number) => `192.0.2.${number + 1}`,
  ipv6: (number) => `2001:db8::${number + 1}`,
  uri: (number) => `https://example.com/${number || ''}`,
  'uri-reference': (number) => `/${number || ''}`,
  'uri-template': (number) => `/{id${number || ''}}`,
  uuid: (number) => `123e4567-e89b-42d3-a456-4266141740${twoDigits(number)}`,
  'json-pointer': (number) => `/${'abcdefghijklmnopqrstuvwxyz'[number % 26]}`,
  'relative-json-pointer': String,
  regex: (number) => `a${number || ''}`,
  byte: (number) => `${'defghijk'[number % 8]}GVzdA==`,
  jwt: (number) => `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJ${'lmnop'[number % 5]}`,
};

const SAME: Readonly<Record<string, string>> = {
  'idn-email': 'email',
  'idn-hostname': 'hostname',
  url: 'uri',
  iri: 'uri',
  'iri-reference': 'uri-reference',
  'iso-time': 'time',
  'iso-date-time': 'date-time',
};

/** For where the plain ones are too long. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  email: ['a@b.co'],
  hostname: ['a.co', 'a'],
  uri: ['http://a', 'a:b'],
  ipv6: ['::1'],
};

const MAX_NUMBER = 40;

/** Texts of a format, or none: the plainest, one as long as `least` asks, then short ones and others. */
export function sampleFormat(format: unknown, least: number): string[] {
  if (typeof format !== 'string') return [];
  const name = Object.hasOwn(SAME, format) ? SAME[format] : format;
  const byNumber = name !== undefined && Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (name === undefined || byNumber === undefined) return [];
  const [plain = '', ...others] = Array.from({ length: MAX_NUMBER }, (_, number) => byNumber(number));
  return [
    plain,
    ...stretched(name, plain, least),
    ...(Object.hasOwn(SHORT, name) ? (SHORT[name] ?? []) : []),
    ...others,
  ];
}

/** One text of each format, for patterns that mean one. */
export function oneOfEachFormat(): string[] {
  return Object.values(FORMATS).map((byNumber) => byNumber(0));
}

function stretched(name: string, plain: string, least: number): string[] {
  const missing = least - plain.length;
  if (missing <= 0) return [];
  if (name === 'uri' || name === 'uri-reference') return [plain + 'a'.repeat(missing)];
  if (name === 'date-time') return [plain.replace('Z', `.${'0'.repeat(Math.max(1, missing - 1))}Z`)];
  if (name === 'hostname') return [labels(missing) + plain];
  if (name !== 'email') return [];
  const inName = Math.min(missing, 60);
  return [`test${'a'.repeat(inName)}@${labels(missing - inName)}example.com`];
}

/** At least so many characters of a host name. */
function labels(length: number): string {
  return `${'a'.repeat(31)}.`.repeat(Math.ceil(Math.max(0, length) / 32));
}

function day(number: number): string {
  return `2024-${twoDigits((Math.floor(number / 28) % 12) + 1)}-${twoDigits((number % 28) + 1)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
