import { because, type CodeEntry } from '../../findings/code-table.ts';

export type AppsCode =
  | `UIR-${'001' | '002' | '003' | '004'}`
  | `UIV-${'010' | '011' | '012' | '013' | '020' | '021' | '022' | '030' | '031' | '050' | '060' | '061' | '062' | '063' | '064' | '065' | '070' | '080'}`;

const APPS = 'https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx';

/** The UI resources of MCP Apps, and the tools that are linked to them. */
export const appsCodes: Readonly<Record<AppsCode, CodeEntry>> = {
  ...because('Hosts show nothing in place of the app.', APPS, {
    'UIR-001': ['WARNING', 'A UI resource cannot be read.', 'Serve each `ui://` resource by `resources/read`.'],
    'UIR-002': [
      'WARNING',
      'A UI resource has another media type than HTML.',
      'Use `text/html;profile=mcp-app`, the media type of MCP Apps.',
    ],
    'UIV-010': ['WARNING', 'A UI resource has no content.', 'Send HTML as `text` or `blob`.'],
    'UIV-011': ['WARNING', 'The HTML of a UI resource is not a string.', 'Send HTML as `text` or `blob`.'],
    'UIV-012': ['WARNING', 'The HTML of a UI resource is empty.', 'Send a whole page.'],
    'UIV-013': ['WARNING', 'A UI resource is no page of HTML.', 'Begin with `<!doctype html>`.'],
    'UIV-060': [
      'WARNING',
      'A tool is linked to a UI resource that is neither listed nor readable.',
      'Serve the resource, or correct `_meta.ui.resourceUri`.',
    ],
  }),
  ...because('What was not read may be broken, so the categories are those of the resources that were read.', APPS, {
    'UIR-003': ['INFO', 'Not all UI resources were read: 20 at most, as long as there is time.', 'Nothing to do.'],
  }),
  ...because('Hosts would show another app than the one that the tool names.', APPS, {
    'UIR-004': [
      'WARNING',
      'Reading a UI resource returns another one.',
      'Return the resource with the `uri` that was asked for.',
    ],
  }),
  ...because('Hosts block what the policy does not allow.', APPS, {
    'UIV-020': [
      'WARNING',
      'The page loads from other origins, but declares no `csp`.',
      'List the origins in `_meta.ui.csp`, or inline what the page loads.',
    ],
    'UIV-021': [
      'WARNING',
      'A domain of the `csp` is no origin of https or wss.',
      'Write origins, such as https://a.example.com.',
    ],
  }),
  ...because('The app could send what it sees to any site.', APPS, {
    'UIV-022': ['WARNING', 'The `csp` allows all sites.', 'List the domains that the app needs.'],
  }),
  ...because('Hosts ignore what they do not know.', APPS, {
    'UIV-030': [
      'WARNING',
      'The app asks for an unknown permission.',
      'Known are camera, microphone, geolocation and clipboardWrite.',
    ],
    'UIV-061': ['WARNING', '`visibility` of a tool has other words than `model` and `app`.', 'Use only these words.'],
    'UIV-063': ['INFO', '`_meta.ui` of a tool has no `resourceUri`.', 'Name the UI resource, or remove `_meta.ui`.'],
    'UIV-064': [
      'WARNING',
      'A tool has `csp` or `permissions`, which belong to the UI resource.',
      'Move them to `_meta.ui` of the resource.',
    ],
    'UIV-065': ['INFO', 'A tool is linked only by the outdated key `ui/resourceUri`.', 'Add `_meta.ui.resourceUri`.'],
  }),
  ...because('Users are asked for it, and may refuse the whole app.', APPS, {
    'UIV-031': [
      'WARNING',
      'The app asks for the camera or the microphone.',
      'Remove the permission unless the app needs it.',
    ],
  }),
  ...because('Users see an app that does not fit its host.', APPS, {
    'UIV-050': [
      'INFO',
      'The page does not react to light and dark themes.',
      'Use `color-scheme`, or the styles of the host.',
    ],
    'UIV-070': ['INFO', 'The page says nothing to hosts that run no scripts.', 'Add `<noscript>` with a sentence.'],
  }),
  ...because('Hosts find an app only by the tool that shows it.', APPS, {
    'UIV-062': ['INFO', 'No tool is linked to the UI resources.', 'Set `_meta.ui.resourceUri` of a tool.'],
    'UIV-080': [
      'INFO',
      'The server has UI resources, but does not declare the extension.',
      'Nothing to do: only clients must declare it.',
    ],
  }),
};
