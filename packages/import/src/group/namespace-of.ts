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
  const hostname = URL.parse(root ?? '')?.hostname ?? '';
  // Of a long title, the word that is in the address, too.
  const known = words.length > 2 ? lettersOf(hostname).find((label) => words.includes(label)) : undefined;
  if (known !== undefined) return known.slice(0, maxLetters);
  let name = '';
  for (const word of words) if (name === '' || name.length + word.length <= maxLetters) name += word;
  if (name !== '') return name.slice(0, maxLetters);
  return hostNamespace(hostname);
}

/** The first part of a host that says something: `pets` of api.pets.example.com. */
export function hostNamespace(hostname: string): string {
  const name = lettersOf(hostname).find((label) => label !== '' && label !== 'api' && label !== 'www');
  return name?.slice(0, maxLetters) ?? 'api';
}

function lettersOf(hostname: string): string[] {
  return hostname.split('.').map((label) => label.toLowerCase().replace(/[^a-z]/g, ''));
}
