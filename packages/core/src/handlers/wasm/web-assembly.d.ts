/** What is used of WebAssembly. TypeScript has the types of all of it only among those of browsers. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]?: string;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
