/**
 * Throws what format 1 threw for bad input.
 *
 * @throws Error
 */
export function throwValidation(messages: readonly string[]): never {
  throw new Error(`\nValidation Error(s):\n- ${messages.join('\n- ')}`);
}
