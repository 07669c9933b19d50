import type { Random } from './random.ts';

/** Makes up a `handlers` export for some of a schema's tools: hooks as real ones are, a screenful each. */
export function makeUpHandlers(random: Random, toolNames: readonly string[], list: string | undefined): string {
  const handled = random.sample(toolNames, Math.max(1, Math.round(toolNames.length / 2)));
  const hooks = handled.map(
    (name) => `  '${name}': {\n${random.pick([postRequest, preRequest, executeRequest, both])}\n  },\n`,
  );
  const values =
    list === undefined
      ? ''
      : `  const known = new Map(sharedLists['${list}'].map((entry) => [entry.code, entry.name]));\n`;
  return `export const handlers = ({ sharedLists, libraries }) => {\n${values}  return {\n${hooks.join('')}  };\n};\n${toNumber}`;
}

const toNumber = `
function toNumber(text) {
  const value = Number.parseFloat(String(text).replaceAll(',', ''));
  return Number.isFinite(value) ? value : null;
}
`;

const preRequest = `    preRequest: async ({ struct, payload }) => {
      const { limit = 20, offset = 0, interval } = payload;
      // The upstream counts pages from one.
      const page = 1 + Math.floor(offset / limit);
      const url = new URL(struct.url);
      url.searchParams.set('page', String(page));
      url.searchParams.delete('offset');
      if (interval) url.searchParams.set('resolution', interval.slice(0, 1).toUpperCase());
      struct.url = url.toString();
      return { struct, payload };
    },`;

const postRequest = `    postRequest: async ({ response, struct, payload }) => {
      const entries = Array.isArray(response) ? response : (response?.data ?? response?.results ?? []);
      const cleaned = entries
        .filter((entry) => entry && entry.status !== 'deleted')
        .map(({ name, price, updatedAt, ...rest }) => ({
          name: typeof name === 'string' ? name.trim() : null,
          price: toNumber(price),
          updatedAt: updatedAt ? new Date(updatedAt).toISOString() : null,
          fields: Object.keys(rest).length,
        }))
        .sort((left, right) => (right.price ?? 0) - (left.price ?? 0));
      const total = cleaned.reduce((sum, { price }) => sum + (price ?? 0), 0);
      return { response: { count: cleaned.length, total, entries: cleaned.slice(0, payload?.limit ?? 50) }, struct, payload };
    },`;

const executeRequest = `    executeRequest: async ({ struct, payload }) => {
      try {
        const answer = await fetch(struct.url, { method: 'GET', headers: struct.headers });
        if (!answer.ok) {
          struct.status = false;
          struct.messages.push(\`The upstream answered \${answer.status}\`);
          return { struct, payload };
        }
        const text = await answer.text();
        const rows = text.split('\\n').map((line) => line.split(';'));
        const [names = [], ...values] = rows;
        struct.data = values
          .filter((row) => row.length === names.length)
          .map((row) => Object.fromEntries(row.map((cell, index) => [names[index], toNumber(cell) ?? cell])));
        struct.status = true;
      } catch (error) {
        struct.status = false;
        struct.messages.push(error.message);
      }
      return { struct, payload };
    },`;

const both = `${preRequest}\n${postRequest}`;
