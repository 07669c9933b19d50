import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { assess } from '@schemakit/validator';
import Fastify from 'fastify';
import { type PageAssets, renderPage } from './page/render.tsx';
import type { Settings } from './settings.ts';

export interface Service {
  /** Where it listens. */
  url: string;
  close(): Promise<void>;
}

export async function createService({ host, port }: Settings): Promise<Service> {
  const app = Fastify();
  const folder = join(import.meta.dirname, '../dist/page');
  await app.register(fastifyStatic, { root: join(folder, 'assets'), prefix: '/assets/' });
  const assets = readAssets(folder);
  app.get('/', (_, reply) =>
    reply.type('text/html').send(renderPage({ view: 'home', language: 'en', publicUrl: '', examples: [] }, assets)),
  );
  app.post<{ Body: { url: string } }>('/api/assess', ({ body }) => assess({ url: body.url, probe: 'safe' }));
  const url = await app.listen({ host, port });
  return { url, close: () => app.close() };
}

function readAssets(folder: string): PageAssets {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const { file, css = [] } = manifest['src/page/main.tsx'];
  return { script: `/${file}`, styles: css.map((name: string) => `/${name}`) };
}
