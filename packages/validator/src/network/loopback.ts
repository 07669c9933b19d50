/** Whether the host of a URL is this machine, by its name. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
}

/** Whether nobody on the way can read or change what is sent to a URL, as OAuth and A2A require it. */
export function isHttpsOrLoopback(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)));
}
