/** Writes the one JSON document of a command to stdout. All else goes to stderr. */
export function printJson(document: { status: boolean; [key: string]: unknown }): void {
  process.stdout.write(`${JSON.stringify(document, null, 4)}\n`);
  if (!document.status) process.exitCode = 1;
}
