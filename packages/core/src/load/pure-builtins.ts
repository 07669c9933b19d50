import type { Builtin } from './folded-value.ts';

/**
 * What folding may call: built-in functions that give the same answer each time and change nothing.
 * Regular expressions are left out (they can run for ever), and so is everything that depends on the locale.
 */

/** Functions of the global scope. */
export const globalFunctions: Readonly<Record<string, Builtin>> = {
  Boolean,
  Number,
  String,
  decodeURI,
  decodeURIComponent,
  encodeURI,
  encodeURIComponent,
  isFinite,
  isNaN,
  parseFloat,
  parseInt,
  structuredClone,
};

/** Functions that belong to a global object. `Object.assign` is pure only on a target that nothing else sees. */
export const staticFunctions: Readonly<Record<string, Readonly<Record<string, Builtin>>>> = {
  Array: { from: Array.from, isArray: Array.isArray, of: Array.of },
  JSON: { parse: JSON.parse, stringify: JSON.stringify },
  Math: {
    abs: Math.abs,
    ceil: Math.ceil,
    floor: Math.floor,
    max: Math.max,
    min: Math.min,
    pow: Math.pow,
    round: Math.round,
    sign: Math.sign,
    sqrt: Math.sqrt,
    trunc: Math.trunc,
  },
  Number: {
    isFinite: Number.isFinite,
    isInteger: Number.isInteger,
    isNaN: Number.isNaN,
    isSafeInteger: Number.isSafeInteger,
    parseFloat: Number.parseFloat,
    parseInt: Number.parseInt,
  },
  Object: {
    assign: Object.assign,
    entries: Object.entries,
    freeze: same,
    fromEntries: Object.fromEntries,
    hasOwn: Object.hasOwn,
    keys: Object.keys,
    preventExtensions: same,
    seal: same,
    values: Object.values,
  },
  String: { fromCharCode: String.fromCharCode, fromCodePoint: String.fromCodePoint },
};

/** Constants of global objects. */
export const staticConstants: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Math: { E: Math.E, LN10: Math.LN10, LN2: Math.LN2, PI: Math.PI, SQRT2: Math.SQRT2 },
  Number: {
    EPSILON: Number.EPSILON,
    MAX_SAFE_INTEGER: Number.MAX_SAFE_INTEGER,
    MAX_VALUE: Number.MAX_VALUE,
    MIN_SAFE_INTEGER: Number.MIN_SAFE_INTEGER,
    MIN_VALUE: Number.MIN_VALUE,
  },
};

/** Methods that give a new value and leave the array as it is. */
export const arrayMethods: ReadonlySet<string> = new Set([
  'at',
  'concat',
  'every',
  'filter',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'flat',
  'flatMap',
  'includes',
  'indexOf',
  'join',
  'lastIndexOf',
  'map',
  'reduce',
  'reduceRight',
  'slice',
  'some',
  'toReversed',
  'toSorted',
  'toSpliced',
  'toString',
  'with',
]);

/** Methods that change the array they are called on: allowed on arrays that were made in the same expression. */
export const arrayMethodsInPlace: ReadonlySet<string> = new Set(['reverse', 'sort', 'fill']);

/** Methods whose result is an array that nothing else holds. */
export const freshArrayMethods: ReadonlySet<string> = new Set([
  'concat',
  'entries',
  'fill',
  'filter',
  'flat',
  'flatMap',
  'from',
  'keys',
  'map',
  'of',
  'reverse',
  'slice',
  'sort',
  'split',
  'toReversed',
  'toSorted',
  'toSpliced',
  'values',
  'with',
]);

export const stringMethods: ReadonlySet<string> = new Set([
  'at',
  'charAt',
  'charCodeAt',
  'codePointAt',
  'concat',
  'endsWith',
  'includes',
  'indexOf',
  'isWellFormed',
  'lastIndexOf',
  'normalize',
  'padEnd',
  'padStart',
  'repeat',
  'replace',
  'replaceAll',
  'slice',
  'split',
  'startsWith',
  'substr',
  'substring',
  'toLowerCase',
  'toString',
  'toUpperCase',
  'toWellFormed',
  'trim',
  'trimEnd',
  'trimStart',
  'valueOf',
]);

export const numberMethods: ReadonlySet<string> = new Set([
  'toExponential',
  'toFixed',
  'toPrecision',
  'toString',
  'valueOf',
]);

export const setMethods: ReadonlySet<string> = new Set(['has']);

function same<Value>(value: Value): Value {
  return value;
}

/** Which argument of a built-in function is called by it. A function anywhere else is only a value, which is no data. */
export const callbackPositions: Readonly<Record<string, number>> = {
  every: 0,
  filter: 0,
  find: 0,
  findIndex: 0,
  findLast: 0,
  findLastIndex: 0,
  flatMap: 0,
  from: 1,
  map: 0,
  reduce: 0,
  reduceRight: 0,
  replace: 1,
  replaceAll: 1,
  some: 0,
  sort: 0,
  toSorted: 0,
};

/** Built-in functions that keep what their callback gives, or ask only whether it is true. Others turn it into text or a number. */
export const callbackUse: Readonly<Record<string, 'value' | 'test'>> = {
  every: 'test',
  filter: 'test',
  find: 'test',
  findIndex: 'test',
  findLast: 'test',
  findLastIndex: 'test',
  flatMap: 'value',
  from: 'value',
  map: 'value',
  reduce: 'value',
  reduceRight: 'value',
  some: 'test',
};
