/** A check of this browser. The service keeps no list of who checked what. */
export interface OwnCheck {
  id: string;
  url: string;
  createdAt: string;
  letter: string;
  /** Deletes the report. */
  deleteToken?: string | undefined;
}

const KEY = 'schemakit.checks';
const MAX_CHECKS = 50;

/** The latest first. Empty without storage: some browsers forbid it. */
export function ownChecks(): OwnCheck[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isCheck) : [];
  } catch {
    return [];
  }
}

export function checkOf(id: string): OwnCheck | undefined {
  return ownChecks().find((check) => check.id === id);
}

/** The latest check of the same address before a report. */
export function checkBefore({
  id,
  url,
  createdAt,
}: {
  id: string | null;
  url: string;
  createdAt: string;
}): OwnCheck | undefined {
  return ownChecks().find((check) => check.url === url && check.id !== id && check.createdAt < createdAt);
}

export function rememberCheck(check: OwnCheck): void {
  store([check, ...ownChecks().filter(({ id }) => id !== check.id)].slice(0, MAX_CHECKS));
}

export function forgetCheck(id: string): void {
  store(ownChecks().filter((check) => check.id !== id));
}

export function forgetAll(): void {
  store([]);
}

function store(checks: readonly OwnCheck[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(checks));
  } catch {
    // Storage that is full or forbidden: the check itself is not affected.
  }
}

function isCheck(value: unknown): value is OwnCheck {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['id', 'url', 'createdAt', 'letter'].every((name) => typeof Reflect.get(value, name) === 'string')
  );
}
