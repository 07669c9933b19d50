/** The references of `--tools`: names of tools and files have no commas. */
export function splitReferences(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
