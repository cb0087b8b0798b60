import { AsyncLocalStorage } from 'node:async_hooks';

/** Ids that are added to every log line of the current async context. */
export interface LogIds {
  /** Also of a job that the request enqueued. */
  readonly requestId?: string;
  readonly smsBatchId?: string;
  readonly smsId?: string;
  readonly webhookSubscriptionId?: string;
  /** The idempotency key that the endpoint receives. */
  readonly deliveryId?: string;
  /** The account of the operator who acts on the account `accountId`. */
  readonly operatorId?: string;
  readonly accountId?: string;
}

const current = new AsyncLocalStorage<LogIds>();

export const logIds = (): LogIds => current.getStore() ?? {};

/** Replaces, and does not extend, the ids of the context: a batch or a runner can outlive the request that started it. */
export const withLogIds = <T>(ids: LogIds, work: () => T): T => current.run(ids, work);

/** The request id to store with events and jobs that follow from the request; `{}` without a request. */
export function requestContext(): Pick<LogIds, 'requestId'> {
  const { requestId } = logIds();
  return requestId === undefined ? {} : { requestId };
}
