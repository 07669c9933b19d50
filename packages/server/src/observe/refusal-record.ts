/** A request over HTTP that was not let in or not read, for logs. It holds no secrets: the reason is what the client was told. */
export interface RefusalRecord {
  /** The status of the answer, such as 401, 403 or 413. */
  status: number;
  method: string;
  /** Without a query. */
  path: string;
  reason: string;
  /** The address that it came from, where the server can tell: that of a proxy, where there is one. */
  address?: string;
}
