// An import of `node:util` by its name would also load what only few of its functions need: that takes longer than to print a result.
const util: typeof import('node:util') = process.getBuiltinModule('node:util');

export const parseEnv: typeof util.parseEnv = util.parseEnv;
export const styleText: typeof util.styleText = util.styleText;
