/** Gets a public document as text, through the guarded client; anything but success is thrown in plain words. */
export async function sharedHttpText(url: string, signal?: AbortSignal): Promise<string> {
  const { http } = await import('./shared-http.ts');
  const { status, statusText, body } = await http.request({ url, method: 'GET' }, signal ? { signal } : {});
  if (status >= 400) throw new Error(`HTTP ${status}: ${statusText}`);
  return new TextDecoder().decode(body);
}
