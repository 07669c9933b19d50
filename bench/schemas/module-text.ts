/** Data as authors write it in a module: bare keys, single quotes, two spaces, trailing commas. */
export function moduleText(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => moduleText(item, inner))
    : Object.entries(value).map(([key, item]) => `${keyText(key)}: ${moduleText(item, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{ ', ' }'];
  if (parts.length === 0) return isList ? '[]' : '{}';
  const line = `${open}${parts.join(', ')}${close}`;
  if (line.length + indent.length <= 110 && !line.includes('\n')) return line;
  const [first, last] = isList ? ['[', ']'] : ['{', '}'];
  return `${first}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${last}`;
}

function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key);
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
