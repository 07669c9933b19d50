import { readRequestBody } from '@modelcontextprotocol/server';
import { NodeRequest, type RequestText } from './node-request.ts';

/** A request, from whichever door it has come in by. */
export type IncomingRequest = Request | NodeRequest;

/** The request for code that takes nothing else. Its body may have been read. */
export function asRequest(request: IncomingRequest): Request {
  return request instanceof NodeRequest ? request.toRequest() : request;
}

/** The body, up to so many bytes. Rejects where the client goes before it has sent all of it. */
export function readText(request: IncomingRequest, maxBytes: number): Promise<RequestText> {
  return request instanceof NodeRequest ? request.readText(maxBytes) : readRequestBody(request, maxBytes);
}
