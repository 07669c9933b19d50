import type { LocaleAnswer, LocaleQuestion } from './guest/locales.ts';

/** Answers a question of a VM about locales. Whatever it asks, there is an answer. */
export function localize(text: string): string {
  return JSON.stringify(answer(text));
}

function answer(text: string): LocaleAnswer {
  try {
    return { value: localized(JSON.parse(text)) };
  } catch (thrown) {
    const error = thrown instanceof RangeError ? 'RangeError' : 'TypeError';
    return { error, message: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

function localized({ kind, value, other, locales, options }: LocaleQuestion): string | number {
  const place = locales as Intl.LocalesArgument;
  switch (kind) {
    case 'number':
      return Number(value).toLocaleString(place, options as Intl.NumberFormatOptions);
    case 'bigint':
      return BigInt(value).toLocaleString(
        place as Intl.LocalesArgument & string,
        options as BigIntToLocaleStringOptions,
      );
    case 'dateTime':
      return new Date(value).toLocaleString(place, options as Intl.DateTimeFormatOptions);
    case 'date':
      return new Date(value).toLocaleDateString(place, options as Intl.DateTimeFormatOptions);
    case 'time':
      return new Date(value).toLocaleTimeString(place, options as Intl.DateTimeFormatOptions);
    case 'lower':
      return String(value).toLocaleLowerCase(place as string);
    case 'upper':
      return String(value).toLocaleUpperCase(place as string);
    case 'compare':
      return String(value).localeCompare(String(other), place as string, options as Intl.CollatorOptions);
  }
}
