import type { Finding } from '@schemakit/core';
import type { Interceptor } from '@schemakit/http';

/** What stands between one test and the network. */
export interface Tape {
  intercept: Interceptor;
  /** Ends the test. Gives what is wrong with its requests, over which the test fails. */
  finish(hasSucceeded: boolean): Promise<Finding[]>;
}
