import { isObject } from '@schemakit/core/internal';
import type { JsonObject } from '../read/read-document.ts';

const fillers =
  /^(the|a|an|api|apis|open|openapi|swagger|rest|restful|http|json|web|service|services|public|v|version|specification|spec|documentation|docs|official|sample|example|and|for|of)$/;
const maxLetters = 24;

/** A namespace from the title of the document, else from its host: letters from a to z. */
export function namespaceOf(document: JsonObject, root: string | undefined): string {
  const title = isObject(document.info) ? String(document.info.title ?? '').replace(/['’]s\b/g, '') : '';
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '' && !fillers.test(word));
  let name = '';
  for (const word of words) if (name === '' || name.length + word.length <= maxLetters) name += word;
  if (name !== '') return name.slice(0, maxLetters);
  const labels = URL.parse(root ?? '')?.hostname.split('.') ?? [];
  const host = labels
    .slice(0, -1)
    .reverse()
    .map((label) => label.replace(/[^a-z]/g, ''))
    .find((label) => label !== '');
  return host ?? 'api';
}
