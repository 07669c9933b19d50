import { describe, expect, test } from 'vitest';
import { analyzeModule } from '../module/analyze-module.ts';
import { hashCode, hostsIn, readCode } from './schema-pin.ts';

function codeOf(text: string): ReturnType<typeof readCode> {
  return readCode(analyzeModule(text, { file: 'a.mjs' }).handlers?.source() ?? '');
}

const text = `export const main = { root: 'https://api.example.com' };
const base = 'https://other.example.com/v1';
// Where things are.
export const handlers = () => ({
  getThing: {
    preRequest: async ({ struct }) => {
      const text = \`one
two\`;
      return { struct: { ...struct, url: base + text } };
    },
  },
});
`;

describe('the hash of handlers', () => {
  // Whoever changes how code is taken out of a file, so that this hash changes, makes every user trust every schema again.
  test('does not change', () => {
    expect(hashCode(codeOf(text))).toBe('sha256:ccf43af1a5f576c65c8d5bdff85c0ef42e9b8474caca550d1a2c1c55956e73bd');
  });

  test.each([
    ['line endings', text.replaceAll('\n', '\r\n')],
    ['comments', text.replace('// Where things are.', '// Elsewhere.\n/* no */')],
    ['indentation', text.replaceAll('  ', '\t')],
    ['main', text.replace('api.example.com', 'a.longer.name.example.com')],
    ['what handlers do not reach', `${text}\nconst unused = 1;\n`],
  ])('does not depend on %s', (_, changed) => {
    expect(changed).not.toBe(text);
    expect(hashCode(codeOf(changed))).toBe(hashCode(codeOf(text)));
  });

  test.each([
    ['a constant that they use', text.replace('other.example.com', 'evil.example.com')],
    ['a space in a template', text.replace('one\n', 'one \n')],
    ['a line break that ends a statement', text.replace('return { struct', 'return\n{ struct')],
    ['a name', text.replaceAll('base', 'bese')],
  ])('depends on %s', (_, changed) => {
    expect(changed).not.toBe(text);
    expect(hashCode(codeOf(changed))).not.toBe(hashCode(codeOf(text)));
  });
});

test.each([
  ["fetch('https://a.example.com/x?y')", ['a.example.com']],
  ['fetch(`https://${sub}.example.com:8080/${x}`)', ['*.example.com:8080']],
  ["fetch('https://' + host)", ['*']],
  ["fetch('https://me:secret@HOST.example/')", ['host.example']],
  ["fetch('\\x68ttps://hidden.example')", ['hidden.example']],
  ['// https://comment.example\nf()', []],
  ['/https:\\/\\/pattern.example/.test(x)', []],
])('the hosts in %j', (code, hosts) => {
  expect(hostsIn(readCode(code))).toEqual(hosts);
});
