import { isDatabaseOutage } from './database-outage';

/**
 * Makes a write again whose answer was lost with the connection. The driver does so itself for writes of one document, as
 * when a replica set changes its primary; not for those of many.
 * @param write comes to the same whether it is done once or twice.
 * @throws what the second throws, or the first where the database did answer.
 */
export async function repeatedOnce<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (failure) {
    if (!isDatabaseOutage(failure)) throw failure;
    return write();
  }
}
