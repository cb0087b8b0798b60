/** After this time a write that the majority of a replica set has not confirmed fails. It may have been done. */
export const MAJORITY_TIMEOUT_MS = 10_000;

/** What a member of a replica set answers to `hello`. Others, such as `mongos`, say nothing about the last write. */
export interface HelloAnswer {
  readonly lastWrite?: { readonly lastWriteDate?: Date; readonly majorityWriteDate?: Date };
}

/** Whether the majority lags behind the last write by less than `MAJORITY_TIMEOUT_MS`. */
export function isConfirmedByMajority({ lastWrite }: HelloAnswer): boolean {
  const { lastWriteDate, majorityWriteDate } = lastWrite ?? {};
  if (!lastWriteDate || !majorityWriteDate) return true;
  return lastWriteDate.getTime() - majorityWriteDate.getTime() < MAJORITY_TIMEOUT_MS;
}
