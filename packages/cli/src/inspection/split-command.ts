/** The words of a command as a shell would split them: single and double quotes keep spaces, a backslash keeps what follows. */
export function splitCommand(command: string): string[] {
  const words = command.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
      (_, plain?: string, quoted?: string, escaped?: string) =>
        plain ?? quoted?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '',
    ),
  );
}
