import { HandlerBlob, HandlerFile } from './blob.ts';
import { HandlerFormData } from './form-data.ts';
import { HandlerHeaders } from './headers.ts';
import { HandlerRequest } from './request.ts';
import { HandlerResponse } from './response.ts';

/**
 * What belongs to `fetch`, written for hosts: the classes of Node.js come with streams, whose prototypes all schemas of a host
 * would share.
 */
export const webApi: Record<string, unknown> = {
  Headers: HandlerHeaders,
  Request: HandlerRequest,
  Response: HandlerResponse,
  FormData: HandlerFormData,
  Blob: HandlerBlob,
  File: HandlerFile,
};
