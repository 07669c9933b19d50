/** The host without its subdomains for APIs, as a namespace: api.pets.example.com is `pets`. */
export function hostNamespace(hostname: string): string {
  const name = hostname
    .split('.')
    .map((label) => label.toLowerCase().replace(/[^a-z]/g, ''))
    .find((label) => label !== '' && label !== 'api' && label !== 'www');
  return name?.slice(0, 24) ?? 'api';
}
