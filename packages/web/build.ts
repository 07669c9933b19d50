// Builds each page as one HTML file, into the package that serves it. Hosts load nothing beside it.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Rolldown } from 'vite';

// Tests build, too, and have another value.
process.env.NODE_ENV = 'production';

const root = import.meta.dirname;

await buildPage('answer', '../server/dist/apps/answer.html');
await buildPage('run', '../agent-server/dist/apps/run.html');

async function buildPage(name: string, target: string): Promise<void> {
  const built = (await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['browser', 'import', 'default'] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      // The first that have light-dark(): older ones would get a substitute that follows the system, not the host.
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      write: false,
      modulePreload: false,
      rolldownOptions: { input: join(root, 'src', `${name}.tsx`) },
    },
  })) as Rolldown.RolldownOutput;
  const script = built.output.flatMap((part) => (part.type === 'chunk' ? part.code : [])).join('');
  const style = built.output.flatMap((part) => (part.type === 'asset' ? String(part.source) : [])).join('');
  const file = join(root, target);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page(script.trim(), style.trim()));
}

/** The policy allows this script and this style, images and sounds of answers, and nothing from a network. */
function page(script: string, style: string): string {
  const code = script.replaceAll('</script', String.raw`<\/script`);
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    'media-src data:',
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>SchemaKit</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="module">${code}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
