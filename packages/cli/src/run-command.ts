import { type CommandName, refusedByMode } from './mode-gate.ts';
import type { CommandResult } from './output/command-result.ts';
import { isForProgram, printResult } from './output/print-result.ts';

/**
 * Makes a command out of a function that ends in a result: the mode of the project is looked at first, and the result is
 * printed at the end. A server that goes on running has no result.
 */
export function command<Flags, Args extends readonly unknown[]>(
  name: CommandName,
  run: (flags: Flags, ...args: Args) => Promise<CommandResult | undefined>,
  { isJson }: { isJson: boolean },
): (flags: Flags, ...args: Args) => Promise<void> {
  return async (flags, ...args) => {
    const result = refusedByMode(name) ?? (await run(flags, ...args));
    if (result !== undefined) printResult(result, { asJson: isForProgram(isJson) });
  };
}
