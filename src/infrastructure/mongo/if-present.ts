/** The options of an index on the documents that have a field. */
export const ifPresent = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });
