import type { Layer } from '../../assess/layer.ts';
import { type Hop, isHtml, mediaType, pageKind } from '../../assess/page.ts';
import { type Evidence, httpEvidence } from '../../findings/evidence.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { shownUrl } from '../../findings/mask-secrets.ts';
import { plainText } from '../../findings/plain-text.ts';
import type { Connection } from '../../network/connection.ts';
import type { HtmlCode } from './html-codes.ts';
import { type PageHead, readHead } from './read-head.ts';

/** What the page at the URL says it is. */
export const htmlLayer: Layer = {
  name: 'html',
  async run({ shared }) {
    const { hops, error } = await shared.page();
    const hop = hops.at(-1);
    if (hop === undefined)
      return { detected: false, state: 'not-evaluated', skipped: error?.message ?? 'GET has no answer.' };
    const type = mediaType(hop.headers);
    if (!isHtml(type)) return { detected: false, state: 'not-detected', skipped: notHtml(hop, type) };
    if (pageKind(hop) !== 'website')
      return {
        detected: false,
        state: 'not-detected',
        skipped: `The URL has no page, but an error page (status ${hop.status}).`,
      };
    const connection = (await shared.connections()).find(({ origin }) => origin === new URL(hop.url).origin);
    const head = readHead(hop.body ?? '');
    const kind = ERROR_TITLE.test((head.title ?? '').slice(0, 200)) ? 'error' : 'website';
    const description = head.meta.get('description');
    const sslStatus = sslStatusOf(connection);
    return {
      detected: true,
      categories: {
        isWebsite: kind === 'website',
        hasTitle: isText(head.title),
        hasDescription: isText(description),
        hasOpenGraph: missingProperties(head).length === 0,
        hasLanguage: isLanguage(head.language),
        hasValidSsl: sslStatus === 'valid',
        supportsHttp2: connection?.tls?.alpn === 'h2',
      },
      entries: {
        url: shownUrl(new URL(hop.url)),
        statusCode: hop.status,
        contentType: plainText(hop.headers['content-type'] ?? '', 200),
        kind: kind === 'website' ? 'website' : 'error page',
        title: shown(head.title),
        description: shown(description),
        siteName: shown(head.meta.get('og:site_name') ?? head.meta.get('application-name')),
        language: shown(head.language),
        canonicalUrl: shown(head.links.get('canonical')),
        generator: shown(head.meta.get('generator')),
        robots: shown(head.meta.get('robots')),
        openGraph: Object.fromEntries(
          ['title', 'type', 'image', 'url', 'description', 'site_name', 'locale'].map((name) => [
            name,
            shown(head.meta.get(`og:${name}`)),
          ]),
        ),
        sslStatus,
        alpn: connection?.tls?.alpn ?? null,
      },
      findings: findingsOf(hop, { head, kind }),
    };
  },
};

/** Titles of error pages that are sent with status 200. */
const ERROR_TITLE =
  /^\W*(?:error\s+)?(?:40[34]|50[0234])\b|\b(?:page|site|url) (?:was )?(?:not|cannot be) found\b|^\W*not found\W*$/i;

function notHtml(hop: Hop, type: string): string {
  const shownType = type === '' ? 'no content' : plainText(type, 100);
  const kind = pageKind(hop) === 'api' ? 'an API endpoint' : 'no page';
  return `The URL is ${kind}: GET is answered with status ${hop.status} and ${shownType}, not with HTML.`;
}

function findingsOf(hop: Hop, { head, kind }: { head: PageHead; kind: 'website' | 'error' }): Finding[] {
  const evidence: Evidence = httpEvidence(hop);
  const tell = (code: HtmlCode, location: string, text: string): Finding => finding(code, location, text, { evidence });
  if (kind === 'error')
    return [tell('HTML-005', 'html', `An error page with status ${hop.status}: its title is ${shown(head.title)}.`)];
  const missing = missingProperties(head);
  return [
    ...(isText(head.title) ? [] : [tell('HTML-001', 'html.title', 'The page has no title.')]),
    ...(isText(head.meta.get('description'))
      ? []
      : [tell('HTML-002', 'html.description', 'The page has no description.')]),
    ...(missing.length === 0 ? [] : [tell('HTML-003', 'html.openGraph', `Missing: ${missing.join(', ')}`)]),
    ...(isLanguage(head.language)
      ? []
      : [tell('HTML-004', 'html.language', `The language is ${shown(head.language) ?? 'missing'}.`)]),
  ];
}

/** The properties that Open Graph requires. */
function missingProperties({ meta }: PageHead): string[] {
  return ['og:title', 'og:type', 'og:image', 'og:url'].filter((name) => !isText(meta.get(name)));
}

function sslStatusOf(connection: Connection | undefined): 'valid' | 'invalid' | 'none' | 'unknown' {
  if (connection === undefined || connection.ipAddress === null) return 'unknown';
  if (connection.origin.startsWith('http:')) return 'none';
  const { certificate = null } = connection.tls ?? {};
  if (certificate === null) return 'unknown';
  return certificate.faults.length === 0 ? 'valid' : 'invalid';
}

function isText(value: string | null | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isLanguage(language: string | null): boolean {
  if (language === null || !/^[a-z]{2,8}(?:-[a-z\d]{1,8})*$/i.test(language)) return false;
  try {
    return Intl.getCanonicalLocales(language).length === 1;
  } catch {
    return false;
  }
}

function shown(text: string | null | undefined): string | null {
  return isText(text) ? plainText(text ?? '', 500) : null;
}
