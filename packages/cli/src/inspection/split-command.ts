const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;

/** The words of a command as a shell would split them: single and double quotes keep spaces, a backslash keeps what follows. Undefined where a quote does not end. */
export function splitCommand(command: string): string[] | undefined {
  if (command.replaceAll(WORD, '').trim() !== '') return undefined;
  const words = command.match(WORD) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
      (_, plain?: string, quoted?: string, escaped?: string) =>
        plain ?? quoted?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '',
    ),
  );
}
