export type ServiceCodeName =
  | 'SVC001'
  | 'SVC010'
  | 'SVC011'
  | 'SVC020'
  | 'SVC021'
  | 'SVC022'
  | 'SVC023'
  | 'SVC030'
  | 'SVC031'
  | 'SVC032'
  | 'SVC040'
  | 'SVC041'
  | 'SVC042'
  | 'SVC050'
  | 'SVC051'
  | 'SVC052'
  | 'SVC060';

interface ServiceCode {
  /** The HTTP status of the problem; 0 for what is no answer to a request. */
  status: number;
  severity: 'error' | 'warning';
  meaning: string;
  hint: string;
}

/** The codes of the web service. A code never changes its meaning. */
export const serviceCodes: Readonly<Record<ServiceCodeName, ServiceCode>> = {
  SVC001: error(0, 'A setting of the service is invalid.', 'Correct the environment variable, or unset it.'),
  SVC010: error(400, 'The request does not match its schema.', 'GET /openapi.json describes each request.'),
  SVC011: error(400, 'The request cannot be read.', 'Send JSON in UTF-8.'),
  SVC020: error(
    401,
    'The request has neither a valid token nor a valid session cookie.',
    'Send `Authorization: Bearer <API_TOKEN>`; in a browser, reload the page.',
  ),
  SVC021: error(
    403,
    'The request comes from a page of another origin.',
    'Send it from the page of the service, or with a token. Behind a proxy, the operator sets PUBLIC_URL.',
  ),
  SVC022: error(
    403,
    'The host name is not one of this machine.',
    'Use http://localhost. For another name, the operator sets PUBLIC_URL.',
  ),
  SVC023: error(
    403,
    'The delete token is missing or wrong.',
    'Send the `deleteToken` that came with the report, as header X-Delete-Token.',
  ),
  SVC030: error(404, 'There is nothing at this path.', 'GET /openapi.json lists the paths.'),
  SVC031: error(404, 'There is no such report.', 'It may have been deleted or be too old. Check the address again.'),
  SVC032: error(405, 'The path does not allow this method.', 'Use a method of the header Allow.'),
  SVC040: error(413, 'The request is too large.', 'Send less. To compare large results, name reports by their ids.'),
  SVC041: error(
    415,
    'The content type is not supported.',
    'Send `Content-Type: application/json`, in UTF-8 and not compressed.',
  ),
  SVC042: error(429, 'There are too many requests from this address.', 'Wait as long as the header Retry-After says.'),
  SVC050: error(500, 'The service failed.', 'Try again later. The operator finds the reason in the log.'),
  SVC051: error(503, 'Too many checks are waiting.', 'Try again later.'),
  SVC052: error(503, 'The service is stopping.', 'Try again in a moment.'),
  SVC060: {
    status: 0,
    severity: 'warning',
    meaning: 'The report could not be kept.',
    hint: 'Save the answer. The operator finds the reason in the log.',
  },
};

function error(status: number, meaning: string, hint: string): ServiceCode {
  return { status, severity: 'error', meaning, hint };
}
