import type { VNode } from 'preact';
import { usePage } from './page-context.ts';
import type { PageState } from './page-state.ts';

export type ViewName = PageState['view'] | 'check' | 'lookup' | 'compare' | 'history';

/** The sections of the page. */
export function Head({ view }: { view: ViewName }): VNode {
  const { texts, linkTo, language } = usePage();
  const other = language === 'en' ? 'de' : 'en';
  return (
    <header class="head">
      <a class="brand" href={linkTo('/')}>
        <img src={'/assets/icon.svg'} width="28" height="28" alt="" />
        <span>{texts.title}</span>
      </a>
      <nav aria-label={texts.sections}>
        <a href={linkTo('/')} aria-current={view === 'home' || view === 'check' ? 'page' : undefined}>
          {texts.check}
        </a>
        {(['lookup', 'compare', 'history'] as const).map((name) => (
          <a
            key={name}
            class="needs-script"
            href={linkTo(`/#${name}`)}
            aria-current={view === name ? 'page' : undefined}
          >
            {texts[name]}
          </a>
        ))}
      </nav>
      <a class="language" href={`?lang=${other}`} hreflang={other} lang={other}>
        {texts.otherLanguage}
      </a>
    </header>
  );
}

export function Foot(): VNode {
  const { texts } = usePage();
  return (
    <footer class="foot">
      <p>{texts.footer}</p>
      <a href={'/openapi'}>{texts.apiDescription}</a>
    </footer>
  );
}
