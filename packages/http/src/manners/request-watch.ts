import type { HttpError } from '../http-error.ts';

/** A request that is about to be sent, for those who follow it. Its texts hold no secrets. */
export interface WatchedRequest {
  method: string;
  /** Complete, but for what is secret in it. */
  url: string;
  host: string;
  port: number;
  /** How often it was sent before. */
  resends: number;
}

/** Follows one request. */
export interface RequestFollower {
  /** Sent along, where the request has no headers of these names. Lower-case names. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Called once, with the status of its answer or with what went wrong. */
  end(result: { status: number } | { error: HttpError }): void;
}

/** Follows requests on the wire, each hop and each retry by itself, for traces. Reads what it needs; undefined follows nothing. */
export type RequestWatch = (read: () => WatchedRequest) => RequestFollower | undefined;
