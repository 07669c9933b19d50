import { isIP, isIPv4, isIPv6 } from 'node:net';

const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DURATION = /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;

/** The formats of JSON Schema (validation 7.3), and some that servers check besides. None of these patterns backtracks. */
const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDay,
  time: (text) => TIME.test(text),
  'date-time': (text) => /^.{10}t/i.test(text) && isDay(text.slice(0, 10)) && TIME.test(text.slice(11)),
  duration: (text) => DURATION.test(text),
  email: isEmail,
  'idn-email': isEmail,
  hostname: (text) => HOST.test(text),
  'idn-hostname': (text) => /^[^\s/]+$/.test(text),
  ip: (text) => isIP(text) !== 0,
  ipv4: isIPv4,
  ipv6: isIPv6,
  uri: isUri,
  url: isUri,
  iri: isUri,
  'uri-reference': (text) => !/[\s\\]/.test(text),
  'iri-reference': (text) => !/[\s\\]/.test(text),
  uuid: (text) => UUID.test(text),
  'json-pointer': isPointer,
  'relative-json-pointer': (text) => /^(?:0|[1-9]\d*)(?:#$|\/|$)/.test(text) && isPointer(text.replace(/^\d+#?/, '')),
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  jwt: (text) => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text),
};

/** True if a text is of a format, or if the format is not known. */
export function isOfFormat(format: unknown, text: string): boolean {
  const check = typeof format === 'string' && Object.hasOwn(CHECKS, format) ? CHECKS[format] : undefined;
  return check === undefined || check(text);
}

function isDay(text: string): boolean {
  const time = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isEmail(text: string): boolean {
  const [name = '', host = '', ...more] = text.split('@');
  const isName = name.length <= 64 && /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(name);
  return isName && more.length === 0 && HOST.test(host) && host.includes('.');
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i.test(text) && (!/^https?:/i.test(text) || URL.canParse(text));
}

function isPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text));
}
