/**
 * The type that a field most likely has of which only null was seen, by its name: `marketCap` is a number, `isActive` a
 * boolean, anything else text.
 */
export function guessType(key: string): 'string' | 'number' | 'boolean' {
  const words = wordsOf(key);
  if (words.length > 1 && questionWords.includes(words[0] ?? '')) return 'boolean';
  const plain = key.toLowerCase();
  if (amountParts.some((part) => plain.includes(part))) return 'number';
  if (words.some((word) => amountWords.includes(word.replace(/s$/, '')))) return 'number';
  return stateWords.some((word) => plain.startsWith(word)) ? 'boolean' : 'string';
}

const questionWords = ['is', 'has', 'can', 'should'];
const amountParts = 'price amount balance volume total supply value height width index number timestamp decimals'.split(
  ' ',
);
// Only as words of their own: they are part of account, caption, feedback, corporate and resized.
const amountWords = ['cap', 'count', 'fee', 'rate', 'size'];
const stateWords = 'enabled active verified valid visible hidden frozen'.split(' ');

/** `marketCap_usd` is market, cap and usd. */
function wordsOf(key: string): string[] {
  return key
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}
