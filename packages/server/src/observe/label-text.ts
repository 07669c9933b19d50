/** A value of a label in the text format of Prometheus. */
export function labelText(value: string): string {
  return value.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
}
