import type { DataAttack, DataGroup } from './attack.ts';

/** What an API answers to a call that gathers its pages. The tool sends a secret in a header. */
export interface PageAttack extends DataAttack {
  /** How the next page is found. `body` is a link at `next`. */
  style: 'link' | 'body' | 'cursor' | 'page';
  /** Where it leads: `%OWN%` and `%OTHER%` are origins, `%OTHERHOST%` a host with its port, `%KEY%` the secret. */
  next?: string;
  /** What else it does. */
  does?: 'redirects the next page' | 'redirects all pages' | 'goes on for ever' | 'sends much' | 'sends nothing more';
  /** Whether the other origin is granted to the schema. */
  isGranted?: true;
}

const tells = { harm: 'leaks a secret' } as const;
const left = 'PAGES_LEFT';
const text = 'treated as text';

export const pageAttacks: readonly PageAttack[] = [
  { name: 'links to another origin in a header', style: 'link', next: '%OTHER%/thing', ...tells, outcome: left },
  { name: 'links to another origin in its answer', style: 'body', next: '%OTHER%/thing', ...tells, outcome: left },
  {
    name: 'links to another host without a scheme',
    style: 'body',
    next: '//%OTHERHOST%/thing',
    ...tells,
    outcome: left,
  },
  {
    name: 'links to another host with backslashes',
    style: 'body',
    next: '\\\\%OTHERHOST%\\thing',
    ...tells,
    outcome: left,
  },
  {
    name: 'links to another origin that is granted',
    style: 'body',
    next: '%OTHER%/thing',
    isGranted: true,
    ...tells,
    outcome: left,
  },
  {
    name: 'links to another page, which redirects to a private address',
    style: 'body',
    next: '/next',
    does: 'redirects the next page',
    ...tells,
    outcome: left,
  },
  {
    name: 'links to another page, which redirects to an origin that is granted',
    style: 'body',
    next: '/next',
    does: 'redirects the next page',
    isGranted: true,
    ...tells,
    outcome: 'without the secret',
  },
  {
    name: 'redirects to another origin, which links back to what only the secret opens',
    style: 'body',
    next: '%OWN%/admin',
    does: 'redirects all pages',
    isGranted: true,
    harm: 'changes the target of the request',
    outcome: left,
  },
  {
    name: 'adds a parameter with a cursor',
    style: 'cursor',
    next: 'a&admin=1',
    harm: 'injects into the request',
    outcome: text,
  },
  {
    name: 'ends the query with a cursor',
    style: 'cursor',
    next: 'a&admin=1#',
    harm: 'injects into the request',
    outcome: text,
  },
  { name: 'gives the placeholder of a secret as a cursor', style: 'cursor', next: '{{KEY}}', ...tells, outcome: text },
  { name: 'repeats the secret as a cursor', style: 'cursor', next: '%KEY%', ...tells, outcome: 'masked' },
  {
    name: 'repeats the secret as a host in a link',
    style: 'body',
    next: 'http://%KEY%.example/thing',
    ...tells,
    outcome: 'masked',
  },
  { name: 'has pages without end', style: 'page', does: 'goes on for ever', harm: 'floods', outcome: left },
  { name: 'has cursors without end', style: 'cursor', does: 'goes on for ever', harm: 'floods', outcome: left },
  { name: 'has links without end', style: 'body', does: 'goes on for ever', harm: 'floods', outcome: left },
  { name: 'links to the same page again', style: 'link', next: '/thing', harm: 'floods', outcome: left },
  { name: 'has large pages without end', style: 'page', does: 'sends much', harm: 'exhausts memory', outcome: left },
  {
    name: 'never sends its second page',
    style: 'page',
    does: 'sends nothing more',
    harm: 'hangs the calling process',
    outcome: left,
  },
];

export const pagesGroup: DataGroup = {
  title: 'Pages of an API',
  attacks: pageAttacks,
};
