import { because, type CodeEntry } from '../../findings/code-table.ts';

export type OAuthCode = `AUTH-${'002' | '003' | '004' | '005' | '006' | '007' | '008' | '009' | '010' | '011' | '012'}`;

const MCP = 'https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization';
const RFC = 'https://www.rfc-editor.org/rfc';

/** Discovery of how the server is authorized. */
export const oauthCodes: Readonly<Record<OAuthCode, CodeEntry>> = {
  ...because('Clients learn from this metadata where to send the user.', `${RFC}/rfc8414`, {
    'AUTH-002': ['INFO', 'Metadata of an authorization server is missing or incomplete.', 'Serve RFC 8414 metadata.'],
  }),
  ...because('Without PKCE a stolen authorization code can be used, so MCP clients must refuse.', `${RFC}/rfc7636`, {
    'AUTH-003': ['WARNING', 'PKCE with S256 is not advertised.', 'List `S256` in `code_challenge_methods_supported`.'],
  }),
  ...because('Clients find the authorization server only through this document.', `${RFC}/rfc9728`, {
    'AUTH-004': ['WARNING', 'Resource metadata has no authorization server.', 'Fill `authorization_servers`.'],
    'AUTH-007': [
      'INFO',
      'A 401 does not point to usable resource metadata.',
      'Send `WWW-Authenticate: Bearer resource_metadata=…`.',
    ],
  }),
  ...because(
    'A client that was not registered by hand has no other way to get a client id.',
    `${MCP}/client-registration`,
    {
      'AUTH-005': ['INFO', 'Clients can neither register nor use a metadata document.', 'Support one of the two.'],
    },
  ),
  ...because(
    'Clients must reject metadata of another issuer: it could send users to an attacker.',
    `${RFC}/rfc8414#section-3.3`,
    {
      'AUTH-006': ['WARNING', 'The metadata has a different issuer.', '`issuer` must match exactly.'],
    },
  ),
  ...because('Clients must not send tokens to a resource that they did not ask for.', `${RFC}/rfc9728#section-3.3`, {
    'AUTH-008': ['INFO', '`resource` in the metadata is not this endpoint.', 'Use the URL that clients use.'],
  }),
  ...because('Codes and tokens travel over these URLs, so others on the way could read them.', MCP, {
    'AUTH-009': ['INFO', 'An OAuth URL is not https, or the network policy blocks it.', 'Use public https URLs.'],
  }),
  ...because(
    'No client can log in, unless somebody gives it a token by hand.',
    `${MCP}#authorization-server-discovery`,
    {
      'AUTH-012': [
        'ERROR',
        'Authorization is required, but its metadata is missing, of another resource, or has unusable URLs; a warning where OAuth is only advertised.',
        'Serve resource metadata of this URL (RFC 9728), and metadata of its authorization server with https URLs (RFC 8414).',
      ],
    },
  ),
  ...because('Says what a client needs before its first call.', MCP, {
    'AUTH-010': ['INFO', 'The server requires OAuth, or advertises it.', 'Nothing to do.'],
    'AUTH-011': ['INFO', 'Scopes are advertised.', 'Nothing to do.'],
  }),
};
