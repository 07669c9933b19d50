import { type ComponentType, render } from 'preact';
import { connectHost, type Host, reportHeight } from './connect-host.ts';

/** Connects to the host, and shows a view in the page. */
export async function showPage(name: string, View: ComponentType<{ host: Host }>): Promise<void> {
  const root = document.getElementById('app');
  if (root === null) return;
  const host = await connectHost(name);
  render(<View host={host} />, root);
  reportHeight(root);
}
