import type { MarkdownResource, WebResource } from '../format/resource.ts';

const byExtension: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  htm: 'text/html',
  html: 'text/html',
  json: 'application/json',
};

/** The media type of a document by the extension of its file or its URL; `text/plain` where that says nothing. */
export function documentMediaType(resource: MarkdownResource | WebResource): string {
  const path = resource.kind === 'http' ? new URL(resource.url).pathname : resource.file.path;
  const [, extension = ''] = /\.([a-z]+)$/i.exec(path) ?? [];
  return byExtension[extension.toLowerCase()] ?? 'text/plain';
}
