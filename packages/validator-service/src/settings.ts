/** What the environment sets, checked. */
export interface Settings {
  /** 0 for any free port. */
  port: number;
  host: string;
}

export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  return { port: Number(env.PORT ?? 0), host: env.HOST ?? '127.0.0.1' };
}
