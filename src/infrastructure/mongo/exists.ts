/** Pipeline expressions for whether a document has a field, also one that is null. @param path such as `$name`. */
export const exists = (path: string) => ({ $ne: [{ $type: path }, 'missing'] });
export const isMissing = (path: string) => ({ $eq: [{ $type: path }, 'missing'] });
