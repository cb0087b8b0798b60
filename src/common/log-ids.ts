import { AsyncLocalStorage } from 'node:async_hooks';

/** What is being worked on, by ids alone: they stand in every line of the log that is written meanwhile. */
export interface LogIds {
  /** The HTTP request that is the cause, also of work that it left to a job. */
  readonly requestId?: string;
  readonly smsBatchId?: string;
  readonly smsId?: string;
  readonly webhookSubscriptionId?: string;
  /** The idempotency key the endpoint is shown. */
  readonly deliveryId?: string;
}

const current = new AsyncLocalStorage<LogIds>();

export const logIds = (): LogIds => current.getStore() ?? {};

/** Does work on these, and on no others: what is begun on behalf of one thing can outlive it and serve another. */
export const withLogIds = <T>(ids: LogIds, work: () => T): T => current.run(ids, work);

/** The request that is the cause of what is done at this moment, to be written beside what follows from it. */
export function causingRequest(): Pick<LogIds, 'requestId'> {
  const { requestId } = logIds();
  return requestId === undefined ? {} : { requestId };
}
