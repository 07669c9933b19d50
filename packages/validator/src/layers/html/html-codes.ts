import { because, type CodeEntry } from '../../findings/code-table.ts';

export type HtmlCode = `HTML-${'001' | '002' | '003' | '004' | '005'}`;

const HTML = 'https://html.spec.whatwg.org/multipage/semantics.html';

/** What a page says about itself. */
export const htmlCodes: Readonly<Record<HtmlCode, CodeEntry>> = {
  ...because('Search results, tabs and directories show it.', `${HTML}#the-title-element`, {
    'HTML-001': ['INFO', 'The page has no title.', 'Add `<title>` to the head.'],
  }),
  ...because('Directories and agents read from it what the site offers.', `${HTML}#standard-metadata-names`, {
    'HTML-002': ['INFO', 'The page has no description.', 'Add `<meta name="description" content="…">`.'],
  }),
  ...because('Chats and social networks show a link by it.', 'https://ogp.me/', {
    'HTML-003': [
      'INFO',
      'Basic Open Graph properties are missing.',
      'Add `og:title`, `og:type`, `og:image` and `og:url`.',
    ],
  }),
  ...because('Screen readers and translators choose by it.', 'https://www.w3.org/WAI/WCAG22/Techniques/html/H57', {
    'HTML-004': ['INFO', 'The language of the page is missing or invalid.', 'Set it, such as `<html lang="en">`.'],
  }),
  ...because('An error page tells nothing about the site.', 'https://www.rfc-editor.org/rfc/rfc9110#section-15', {
    'HTML-005': [
      'INFO',
      'The page is an error page by its title, but is sent as a success.',
      'Publish a URL with content; answer errors with their status.',
    ],
  }),
};
