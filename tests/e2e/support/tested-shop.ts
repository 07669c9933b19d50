import { moduleText } from './schema-module.ts';

interface TestedTool {
  path?: string;
  parameters?: readonly unknown[];
  tests?: readonly unknown[];
  [field: string]: unknown;
}

/** The text of a schema `shop` whose tools have the tests that are given; `main` replaces other parts. */
export function testedShop(
  root: string,
  tools: Readonly<Record<string, TestedTool>>,
  { main = {}, handlers }: { main?: Record<string, unknown>; handlers?: string } = {},
): string {
  const all = Object.entries(tools).map(([name, tool]) => {
    const usual = { method: 'GET', path: `/${name}`, description: `Tool ${name}`, parameters: [] };
    return [name, { ...usual, tests: [{ _description: `${name} works` }], ...tool }];
  });
  const rest = { name: 'Shop', description: 'Things of a shop', version: '3.0.0', requiredServerParams: [] };
  return moduleText(
    { namespace: 'shop', ...rest, requiredLibraries: [], headers: {}, root, tools: Object.fromEntries(all), ...main },
    handlers,
  );
}
