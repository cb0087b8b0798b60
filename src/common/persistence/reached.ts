/**
 * The condition of a field that holds a time which has come. It says that there is one: a partial index on documents
 * that have the field serves only queries that repeat its condition (DocumentDB does not see it in the comparison).
 */
export function reached(now: Date) {
  return { $exists: true, $lte: now } as const;
}
