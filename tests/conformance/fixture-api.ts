import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One red pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV file without a sound in it. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const pdf = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

const answers: Record<string, { status?: number; type: string; body: string | Buffer }> = {
  '/text': { type: 'text/plain', body: 'This is a simple text response for testing.' },
  '/image': { type: 'image/png', body: Buffer.from(png, 'base64') },
  '/audio': { type: 'audio/wav', body: Buffer.from(wav, 'base64') },
  '/document': { type: 'application/pdf', body: Buffer.from(pdf, 'base64') },
  '/failure': { status: 400, type: 'text/plain', body: 'This tool intentionally returns an error for testing' },
};

/** The API behind the schema in `fixtures/suite.mjs`, on loopback. */
export async function startFixtureApi(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(({ url = '' }, response) => {
    const { status = 200, type, body } = answers[url] ?? { status: 404, type: 'text/plain', body: 'Not found' };
    response.writeHead(status, { 'Content-Type': type });
    response.end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
