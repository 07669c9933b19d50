// Imported first by every package, so that an old Node gets this line and not an error about a built-in module.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19))
  throw new Error(`SchemaKit needs Node.js 22.19 or newer; this is ${process.versions.node}.`);

export {};
