/** Does something again and again, until the function that it returns is called. */
export type Every = (ms: number, action: () => void) => () => void;

/** By the clock of the system. The process may end meanwhile. */
export const every: Every = (ms, action) => {
  const timer = setInterval(action, ms).unref();
  return () => clearInterval(timer);
};
