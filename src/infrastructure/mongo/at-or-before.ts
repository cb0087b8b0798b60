/**
 * Condition on a date field. `$exists` lets DocumentDB use a partial index on documents that have the field: it does not
 * derive that from the comparison.
 */
export function atOrBefore(time: Date) {
  return { $exists: true, $lte: time } as const;
}
