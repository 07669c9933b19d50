import { compare } from './compare/compare.ts';
import { start } from './start.ts';

/**
 * Tells what an MCP server really offers, and whether its payment terms hold.
 *
 * @example
 * const before = await McpServerValidator.start({ endpoint: 'https://example.com/mcp', timeout: 10_000 });
 * const after = await McpServerValidator.start({ endpoint: 'https://example.com/mcp' });
 * const { hasChanges, summary } = McpServerValidator.compare({ before, after });
 */
export const McpServerValidator: { start: typeof start; compare: typeof compare } = { start, compare };
