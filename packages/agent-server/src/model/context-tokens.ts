/** Context sizes of known models, in tokens, by a part of their ids. The first match counts. */
const known: [part: RegExp, tokens: number][] = [
  [/claude/, 200_000],
  [/gpt-4o|gpt-4-turbo/, 128_000],
  [/gpt-4\.1/, 1_000_000],
  [/gpt-5/, 400_000],
  [/gemini/, 1_000_000],
  [/llama-?3|qwen|mistral|deepseek|kimi/, 128_000],
];

/** Assumed for unknown models. */
const unknownModel = 32_000;

/** The context size of a model in tokens. Set `contextTokens` where this is wrong. */
export function contextTokensOf(model: string): number {
  const id = model.toLowerCase();
  return known.find(([part]) => part.test(id))?.[1] ?? unknownModel;
}
