/** What a program was told on its command line. */
export interface ArgvParameters {
  /** Of `--source=<name>`; undefined where it is not given. */
  source: string | undefined;
  includeNamespaces: string[];
  excludeNamespaces: string[];
  activateTags: string[];
}

export interface ArgvOptions {
  /** Default `process.argv`. */
  argv?: readonly string[];
  /** Used where the command line has none. Default none. */
  includeNamespaces?: readonly string[];
  /** Likewise. */
  excludeNamespaces?: readonly string[];
  /** Likewise. */
  activateTags?: readonly string[];
}

/** Reads `--source=name`, `--includeNamespaces=a,b`, `--excludeNamespaces=a,b` and `--activateTags=a,b.c`. */
export function getArgvParameters({
  argv = process.argv,
  includeNamespaces = [],
  excludeNamespaces = [],
  activateTags = [],
}: ArgvOptions = {}): ArgvParameters {
  const textOf = (name: string) =>
    argv.findLast((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
  const wordsOf = (name: string, fallback: readonly string[]) => {
    const text = textOf(name);
    const words = text === undefined ? fallback : text.split(',');
    return words.map((word) => word.trim()).filter((word) => word !== '');
  };
  return {
    source: textOf('source'),
    includeNamespaces: wordsOf('includeNamespaces', includeNamespaces),
    excludeNamespaces: wordsOf('excludeNamespaces', excludeNamespaces),
    activateTags: wordsOf('activateTags', activateTags),
  };
}
