// Codes that the code makes where it needs them, without a table. A test looks for those that are missing here.

/** Codes of files, of libraries and of the arguments of the library's methods: severity and meaning. */
export const fileCodes: Readonly<Record<string, readonly [string, string]>> = {
  FIL001: ['error', 'The file exists.'],
  FIL003: ['error', 'The path is a file, not a folder.'],
  FIL004: ['error', 'The file can be read.'],
  FIL005: ['error', 'The named files and folders contain a schema.'],
  LIB001: ['warning', 'Each required library is installed. Calls that need a missing one fail.'],
  LIB002: ['error', 'A library can be loaded into this process.'],
  LIB003: ['error', 'A library that the user allowed has the same files as when it was allowed.'],
  ARG001: ['error', 'A method of the library gets every required argument, with the right type.'],
  ARG002: ['error', '`server` is a server of the MCP SDK.'],
  ARG003: ['error', '`schema` or `schemas` is given.'],
  ARG004: ['error', 'The options of a method can be read: no getter or proxy throws.'],
  ARG005: ['error', 'A server gets at least one schema that can be served.'],
  ARG006: ['error', 'Options of a server name only its own tools.'],
};

/** Codes of arguments that only planning a request can find. */
export const pathCodes: Readonly<Record<string, string>> = {
  INP010: 'A value for the path has a `.`, `..` or empty segment, in any encoding, or a backslash.',
  INP011: 'A value for a header or a cookie has characters that it cannot have, such as a line break.',
  INP012:
    'A list or an object has a part that its place would read as something else, such as the name of another parameter.',
  INP013: 'A file is neither base64 nor a `data:` URL.',
  INP014: 'The body of a request has more than 32 MiB.',
};

/** Codes of calls that failed for another reason than input, network or handlers. */
export const callCodes: Readonly<Record<string, string>> = {
  TOOL_UNKNOWN: 'The schema has no tool with this name.',
  SECRET_MISSING: 'A name in `requiredServerParams` has no value.',
  SECRET_INVALID: 'The value of a server parameter contains a line break.',
  SEND_NOT_GRANTED: 'A schema from elsewhere would send a secret to an origin that was not granted. Nothing was sent.',
  SECRET_NOT_GRANTED: 'A handler computes with a secret without a grant for its value. Nothing was sent.',
  TOKEN_REFUSED: 'The token endpoint of `auth` gave no access token; its error is in the message.',
  TOKEN_INVALID: 'The token endpoint of `auth` answered without a bearer token.',
  'HTTP_<status>': 'The API answered with an error status: `HTTP_401`, `HTTP_429`, `HTTP_503`.',
  INVALID_JSON: 'The API answered with something other than the expected JSON.',
  ANSWER_TOO_DEEP: 'The answer is nested so deeply that it cannot be written as text.',
  HANDLER_FAILED: 'A handler set `struct.status` to false; the messages are its own.',
  HANDLER_RESULT_IGNORED: 'A warning: a hook returned something that is ignored; the message says what to return.',
  REQUEST_FAILED: 'The request could not be made, for a reason without a code.',
  PREVIEW_UNKNOWN:
    'A handler, an access token or a signature decides what is sent, so a preview cannot show it completely.',
  PREVIEW_ENCODING: 'A secret is encoded in the request, so a shell variable with its plain value does not fit.',
  PREVIEW_FILE: 'The curl command of a preview reads a file that the caller gave as text.',
  ANSWER_TYPE: 'A warning: the answer has another media type than `accept` of the tool.',
  PAGES_LEFT: 'A warning: a call did not read all pages; the message says why.',
  PROMPT_GONE: 'A prompt that a server listed is no longer in its schema.',
  CONFIRM_DECLINED: 'The user of the client declined a call that may write. Nothing was sent.',
  CONFIRM_UNAVAILABLE:
    'A server asks before calls that may write, and the client cannot ask its user. Nothing was sent.',
  INTERNAL: 'A bug in SchemaKit.',
};
