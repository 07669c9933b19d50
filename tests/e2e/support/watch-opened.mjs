// Loaded into a command before everything else: notes the files that it opens, in the file that OPENED_FILES names.
import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';

const { appendFileSync } = fs;
const note = (path) => appendFileSync(process.env.OPENED_FILES, `${path}\n`);

for (const holder of [fs, fs.promises]) {
  for (const name of ['open', 'openSync', 'readFile', 'readFileSync']) {
    const original = holder[name];
    if (original === undefined) continue;
    holder[name] = (path, ...rest) => {
      if (typeof path !== 'number') note(path);
      return original.call(holder, path, ...rest);
    };
  }
}
syncBuiltinESMExports();
registerHooks({
  load(url, context, nextLoad) {
    note(url);
    return nextLoad(url, context);
  },
});
