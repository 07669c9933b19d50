const maxLength = 63;

/** The name that a route has on MCP in format 1: `get_price_quote_desk`, the route first. */
export function legacyToolName(routeName: string, namespace: string): string {
  return `${snakeCase(routeName)}_${snakeCase(namespace)}`
    .slice(0, maxLength)
    .replaceAll(':', '')
    .replace(/[-/]/g, '_');
}

function snakeCase(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
