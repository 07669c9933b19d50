import { type Context, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Language, PageState } from './page-state.ts';
import type { Texts } from './texts/texts.ts';

/** What every part of the page may use. */
export interface Page {
  language: Language;
  texts: Texts;
  publicUrl: string;
  examples: readonly string[];
  /** The address of a page of this service, in the language that was chosen. */
  linkTo(path: string): string;
  /** Starts a check. Own headers are kept only as long as the page is open. */
  check(url: string, headers?: Readonly<Record<string, string>>): void;
  /** The headers of the latest check. */
  ownHeaders(): Readonly<Record<string, string>>;
}

export const PageContext: Context<Page | undefined> = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('This part stands outside of the page.');
  return page;
}

/** The part of a page that follows from the state of the server. */
export function pageOf(
  { language, isLanguageChosen = false, publicUrl, examples }: PageState,
  texts: Texts,
): Omit<Page, 'check' | 'ownHeaders'> {
  return {
    ...{ language, publicUrl, examples, texts },
    linkTo(path) {
      const [before = '', hash] = path.split('#');
      const query = isLanguageChosen ? `?lang=${language}` : '';
      return `${before}${query}${hash === undefined ? '' : `#${hash}`}`;
    },
  };
}
