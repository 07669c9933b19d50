import { because, type CodeEntry } from '../../findings/code-table.ts';

export type HttpCode =
  `HTTP-${'001' | '002' | '003' | '004' | '005' | '006' | '007' | '008' | '009' | '010' | '011' | '012' | '013' | '014' | '015' | '016' | '017' | '018' | '019' | '020' | '021' | '022' | '023' | '024' | '025' | '026'}`;

const RFC = 'https://www.rfc-editor.org/rfc';
const FETCH = 'https://fetch.spec.whatwg.org/';

/** How the URL is reached: connection, TLS, redirects, CORS, headers. */
export const httpCodes: Readonly<Record<HttpCode, CodeEntry>> = {
  ...because('Nobody can use an endpoint that does not answer.', `${RFC}/rfc9110`, {
    'HTTP-001': ['ERROR', 'The host name has no address.', 'Check the name and its DNS records (A and AAAA).'],
    'HTTP-002': [
      'ERROR',
      'The connection failed, or the answer is not valid HTTP.',
      'Check that the server runs, and its port, firewall and certificate.',
    ],
    'HTTP-003': [
      'ERROR',
      'GET had no answer in time; a warning if other requests were answered.',
      'Answer GET at once; refuse it with 405 if it is not offered.',
    ],
    'HTTP-021': ['WARNING', 'GET is answered with a server error (5xx).', 'See the log of the server.'],
  }),
  ...because(
    'A stranger’s redirect must not lead into your network, so only named private addresses are reached.',
    'docs/validator.md',
    {
      'HTTP-014': [
        'ERROR',
        'The network policy blocks the URL, or the target of a redirect.',
        'Use a public address, or allow the origin with `privateOrigins` (`--private-origin`).',
      ],
    },
  ),
  ...because(
    'Without TLS, others on the way can read and change requests, tokens included.',
    `${RFC}/rfc9110#section-4.2.2`,
    {
      'HTTP-004': ['WARNING', 'The URL is http, not https. Loopback is exempt.', 'Serve https, and publish that URL.'],
      'HTTP-020': ['WARNING', 'A redirect leads from https to http.', 'Redirect to https URLs only.'],
    },
  ),
  ...because(
    'Clients refuse the connection, because anybody could answer in the name of this host.',
    `${RFC}/rfc5280#section-6`,
    {
      'HTTP-005': ['WARNING', 'The certificate has expired.', 'Renew it; automate the renewal with ACME.'],
      'HTTP-006': ['WARNING', 'The certificate is self-signed.', 'Use a certificate of a public authority.'],
      'HTTP-015': ['WARNING', 'The certificate is not valid yet.', 'Check the clock of the server, or wait.'],
      'HTTP-016': ['WARNING', 'The certificate is for another host.', 'Add the host to the names of the certificate.'],
      'HTTP-017': [
        'WARNING',
        'The certificate leads to no trusted authority.',
        'Send the intermediate certificates, too; or use a public authority.',
      ],
    },
  ),
  ...because('From its end on, clients refuse the connection.', `${RFC}/rfc5280#section-6`, {
    'HTTP-018': [
      'WARNING',
      'Less than a tenth of the lifetime of the certificate is left.',
      'Renew it, and check why it was not renewed automatically.',
    ],
  }),
  ...because('TLS before 1.2 has known weaknesses, and clients refuse it.', `${RFC}/rfc8996`, {
    'HTTP-019': ['WARNING', 'The TLS version is older than 1.2.', 'Enable TLS 1.2 and 1.3, disable older versions.'],
  }),
  ...because(
    'Many clients do not follow redirects of POST, and drop credentials at other origins.',
    `${RFC}/rfc9110#section-15.4`,
    {
      'HTTP-007': ['INFO', 'The URL redirects.', 'Publish the final URL.'],
      'HTTP-008': ['WARNING', 'The URL redirects more than five times.', 'Publish the final URL.'],
    },
  ),
  ...because('Says what a person or a program finds at this URL.', `${RFC}/rfc9110#section-8.3`, {
    'HTTP-009': ['INFO', 'The URL is a website (`text/html`).', 'Nothing to do.'],
    'HTTP-010': ['INFO', 'The URL is an endpoint for programs.', 'Nothing to do.'],
  }),
  ...because('Attackers look for known faults of named software.', `${RFC}/rfc9110#section-10.2.4`, {
    'HTTP-011': [
      'INFO',
      'The headers name the software of the server.',
      'Remove versions from the headers, and the header `x-powered-by`.',
    ],
  }),
  ...because(
    'Browsers decide by these headers whether a web client may use the server.',
    `${FETCH}#http-cors-protocol`,
    {
      'HTTP-012': ['INFO', 'GET is answered with `access-control-allow-origin`.', 'Nothing to do.'],
      'HTTP-022': [
        'INFO',
        'MCP clients in browsers cannot use the URL: the preflight is refused.',
        'Answer OPTIONS without authentication, allow the origin, `content-type` and `mcp-protocol-version`.',
      ],
      'HTTP-023': [
        'INFO',
        'The preflight allows a part of the headers of MCP only.',
        'Name all in `access-control-allow-headers`; `*` does not cover `authorization`.',
      ],
    },
  ),
  ...because(
    'Every website that a user visits can act with the cookies of that user.',
    `${FETCH}#cors-protocol-and-credentials`,
    {
      'HTTP-024': [
        'WARNING',
        'Any origin is allowed with credentials.',
        'Allow credentials to known origins only; MCP needs no cookies.',
      ],
    },
  ),
  ...because('Newer versions of HTTP save round trips when many requests are made.', `${RFC}/rfc9113`, {
    'HTTP-013': ['INFO', 'HTTP/2 is offered.', 'Nothing to do.'],
    'HTTP-026': ['INFO', 'HTTP/3 is offered by `alt-svc`.', 'Nothing to do.'],
  }),
  ...because(
    'They keep browsers from guessing types and from going back to http.',
    'https://cheatsheetseries.owasp.org/cheatsheets/REST_Security_Cheat_Sheet.html',
    {
      'HTTP-025': [
        'INFO',
        'Security headers that fit an API are missing.',
        'Send `x-content-type-options: nosniff`, and over https `strict-transport-security`.',
      ],
    },
  ),
};
