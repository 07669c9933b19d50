import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { ExtensionDescriptor } from 'quickjs-wasi';

/** What a worker needs to make VMs. */
export interface WasmFiles {
  engine: WebAssembly.Module;
  extensions: ExtensionDescriptor[];
  /** File of the program that runs in each VM. */
  guest: string;
}

const fromSource = import.meta.url.endsWith('.ts');
const guest = fileURLToPath(new URL(fromSource ? './guest/guest.ts' : './wasm-guest.js', import.meta.url));
const extensionFiles = {
  url: 'url.so',
  encoding: 'encoding.so',
  crypto: 'crypto.so',
  structured_clone: 'structured-clone.so',
};

let files: Promise<WasmFiles> | undefined;

/** Reads and compiles the engine, once in the life of this process; all workers share the compiled code. */
export function wasmFiles(): Promise<WasmFiles> {
  files ??= readFiles();
  return files;
}

async function readFiles(): Promise<WasmFiles> {
  const { resolve } = createRequire(import.meta.url);
  const compiled = async (name: string) => WebAssembly.compile(await readFile(resolve(`quickjs-wasi/${name}`)));
  const [engine, ...extensions] = await Promise.all([
    compiled('quickjs.wasm'),
    ...Object.entries(extensionFiles).map(async ([name, file]) => ({ name, wasm: await compiled(file) })),
  ]);
  return { engine, extensions, guest };
}
