import { printResult } from '../output/print-result.ts';
import { type Shell, scripts } from './scripts.ts';

/** `schemakit completion <shell>`: prints what the shell loads. It is no document, because shells read it from a pipe. */
export function printScript({ isJson }: { isJson: boolean }): (flags: Record<never, never>, shell: Shell) => void {
  return (_flags, shell) => {
    const script = scripts[shell];
    if (isJson) printResult({ document: { status: true, shell, script } }, { asJson: true });
    else process.stdout.write(script);
  };
}
