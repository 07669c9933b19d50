import type { Letter } from '@schemakit/validator';
import { escapeMarkup } from '@schemakit/validator';
import type { FastifyInstance } from 'fastify';
import type { ReportStore } from '../reports/report-store.ts';

/** `/badge/<host>.svg`: the letter of the newest report of a host. */
export function badgeRoute(app: FastifyInstance, { reports }: { reports: ReportStore }): void {
  app.get<{ Params: { host: string } }>('/badge/:host.svg', { schema: { hide: true } }, async ({ params }, reply) =>
    reply
      .headers({ 'cache-control': 'public, max-age=300', 'cross-origin-resource-policy': 'cross-origin' })
      .type('image/svg+xml')
      .send(badge(reports.letterOf(params.host.toLowerCase()))),
  );
}

const colours: Record<Letter, string> = { A: '#1a7f37', B: '#4d7c0f', C: '#9a6700', D: '#bc4c00', F: '#cf222e' };

function badge(letter: Letter | undefined): string {
  const [left, right] = ['SchemaKit', letter ?? 'not checked'];
  const [leftWidth, rightWidth] = [72, letter === undefined ? 78 : 26];
  const width = leftWidth + rightWidth;
  const text = (content: string, x: number) =>
    `<text x="${x}" y="14" text-anchor="middle" fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${escapeMarkup(content)}</text>`;
  const label = `${left}: ${right}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${escapeMarkup(label)}"><title>${escapeMarkup(label)}</title><rect width="${width}" height="20" rx="3" fill="#444"/><path d="M${leftWidth} 0h${rightWidth - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H${leftWidth}z" fill="${letter === undefined ? '#6e7781' : colours[letter]}"/>${text(left, leftWidth / 2)}${text(right, leftWidth + rightWidth / 2)}</svg>`;
}
