import { localize } from './natives.ts';

/** What is asked of the worker; `args` are locales and options. */
export interface LocaleQuestion {
  kind: 'number' | 'bigint' | 'dateTime' | 'date' | 'time' | 'lower' | 'upper' | 'compare';
  /** Number or date in milliseconds, digits of a bigint, or text. */
  value: number | string;
  /** What text is compared with. */
  other?: string;
  locales?: unknown;
  options?: unknown;
}

/** The answer, or the name and message of what was thrown. */
export type LocaleAnswer = { value: string | number } | { error: 'RangeError' | 'TypeError'; message: string };

/**
 * Gives the functions of the language that depend on locales the results that they have in hosts. The VM knows no locales: it
 * would write 1234.5 without its comma and sort `ä` behind `z`, and nobody would notice.
 */
export function knowLocales(): void {
  const { valueOf: numberOf } = Number.prototype;
  const { getTime } = Date.prototype;
  const { toString: bigIntText } = BigInt.prototype;
  const date = (kind: LocaleQuestion['kind']) =>
    function (this: Date, locales?: unknown, options?: unknown) {
      const value = Reflect.apply(getTime, this, []);
      return Number.isNaN(value) ? 'Invalid Date' : ask({ kind, value, locales, options });
    };
  define(Number.prototype, {
    toLocaleString(this: number, locales?: unknown, options?: unknown) {
      const value = Reflect.apply(numberOf, this, []);
      // JSON has no form for some numbers.
      return Number.isFinite(value)
        ? ask({ kind: 'number', value, locales, options })
        : ask({ kind: 'number', value: String(value), locales, options });
    },
  });
  define(BigInt.prototype, {
    toLocaleString(this: bigint, locales?: unknown, options?: unknown) {
      return ask({ kind: 'bigint', value: Reflect.apply(bigIntText, this, []), locales, options });
    },
  });
  define(Date.prototype, {
    toLocaleString: date('dateTime'),
    toLocaleDateString: date('date'),
    toLocaleTimeString: date('time'),
  });
  define(String.prototype, {
    toLocaleLowerCase(this: unknown, locales?: unknown) {
      return ask({ kind: 'lower', value: String(this), locales });
    },
    toLocaleUpperCase(this: unknown, locales?: unknown) {
      return ask({ kind: 'upper', value: String(this), locales });
    },
    localeCompare(this: unknown, other: unknown, locales?: unknown, options?: unknown) {
      return ask({ kind: 'compare', value: String(this), other: String(other), locales, options });
    },
  });
}

function ask(question: LocaleQuestion): string | number {
  const answer: LocaleAnswer = JSON.parse(localize(JSON.stringify(question)));
  if ('value' in answer) return answer.value;
  throw answer.error === 'RangeError' ? new RangeError(answer.message) : new TypeError(answer.message);
}

function define(owner: object, methods: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(owner, name, { value, writable: true, configurable: true });
  }
}
