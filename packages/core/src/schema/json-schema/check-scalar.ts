import { isIP, isIPv4, isIPv6 } from 'node:net';
import { type Fields, isObject } from '../json.ts';
import {
  type Evaluation,
  fitIf,
  keyword,
  matchPattern,
  numberAt,
  outOfSteps,
  type SchemaFit,
  spend,
} from './evaluation.ts';

/** Checks the type and the value as such: `type`, `const`, `enum`, and the limits of numbers and texts. */
export function scalarFit(schema: Fields, value: unknown, evaluation: Evaluation): SchemaFit {
  const enumeration = keyword(schema, 'enum');
  if (!isOfType(keyword(schema, 'type'), value)) return 'misfit';
  if (Object.hasOwn(schema, 'const') && !isEqual(schema.const, value, evaluation)) return 'misfit';
  if (Array.isArray(enumeration) && !isAmong(enumeration, value, evaluation)) return 'misfit';
  if (typeof value === 'number') return fitIf(isNumberAllowed(schema, value));
  return typeof value === 'string' ? textFit(schema, value, evaluation) : 'fits';
}

function isOfType(type: unknown, value: unknown): boolean {
  if (Array.isArray(type)) return type.length === 0 || type.some((one) => !Array.isArray(one) && isOfType(one, value));
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

/** In draft 4, `exclusiveMinimum: true` belongs to `minimum`. */
function isNumberAllowed(schema: Fields, value: number): boolean {
  const least = numberAt(schema, 'minimum', -Infinity);
  const most = numberAt(schema, 'maximum', Infinity);
  const above = keyword(schema, 'exclusiveMinimum') === true ? least : numberAt(schema, 'exclusiveMinimum', -Infinity);
  const below = keyword(schema, 'exclusiveMaximum') === true ? most : numberAt(schema, 'exclusiveMaximum', Infinity);
  if (value < least || value > most || value <= above || value >= below) return false;
  const step = numberAt(schema, 'multipleOf', 0);
  return step <= 0 || isMultiple(value, step);
}

/** Of decimal numbers: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const count = value / step;
  return Number.isInteger(count) || Math.abs(count - Math.round(count)) < 1e-9;
}

function textFit(schema: Fields, value: string, evaluation: Evaluation): SchemaFit {
  spend(evaluation, value.length / 10);
  const length = [...value].length;
  const pattern = keyword(schema, 'pattern');
  if (length < numberAt(schema, 'minLength', 0) || length > numberAt(schema, 'maxLength', Infinity)) return 'misfit';
  if (!isOfFormat(keyword(schema, 'format'), value)) return 'misfit';
  return typeof pattern === 'string' ? matchPattern(value, pattern, evaluation) : 'fits';
}

const MAX_DEPTH = 200;

/** True if two JSON values are the same, whatever the order of names. */
function isEqual(one: unknown, other: unknown, evaluation: Evaluation, depth: number = 0): boolean {
  if (one === other) return true;
  if (depth > MAX_DEPTH) throw outOfSteps;
  spend(evaluation);
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isEqual(item, other[at], evaluation, depth + 1));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name], evaluation, depth + 1))
  );
}

export function isAmong(values: readonly unknown[], value: unknown, evaluation: Evaluation): boolean {
  if (typeof value === 'object' && value !== null)
    return values.some((candidate) => isEqual(candidate, value, evaluation));
  spend(evaluation, values.length / 20);
  return values.includes(value);
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const HOST = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DURATION = /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;

/** The formats of JSON Schema (validation 7.3), and some others that servers check. None of these patterns backtracks. */
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
function isOfFormat(format: unknown, text: string): boolean {
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
