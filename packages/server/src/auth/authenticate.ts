import type { AuthInfo } from '@modelcontextprotocol/server';

/** Who a caller is, or the answer to one who may not call. */
export type Authenticate = (request: Request) => Promise<AuthInfo | Response>;
