import type { HandlerFailure } from '../handler-error.ts';

const hint = "Load the schema with isolation: 'process', where processes may be started.";

/** Names that handlers find in hosts, and not in a VM. */
export const missingNames: readonly string[] = ['Buffer', 'Intl'];

/** The failure of handlers that use a library. @param what - As it stands in the sentence. */
export function withoutLibraries(what: string): HandlerFailure {
  return {
    code: 'LIBRARY_UNUSABLE',
    message: `Handlers in WebAssembly have no libraries, and this schema uses ${what}`,
    hint,
  };
}

/** The failure of handlers that use a name which is not there. */
export function withoutName(name: string): HandlerFailure {
  return { code: 'HANDLER_UNSUPPORTED', message: `Handlers in WebAssembly have no ${name}`, hint };
}

/** Adds what to do where a handler failed because it does not find such a name. */
export function withNameHint(failure: HandlerFailure): HandlerFailure {
  const name = missingNames.find((each) => failure.message === `ReferenceError: ${each} is not defined`);
  return name === undefined ? failure : { ...failure, hint: `${withoutName(name).message}. ${hint}` };
}
