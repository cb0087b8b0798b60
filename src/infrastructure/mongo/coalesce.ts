/** Pipeline expression for the first of these fields that exists. If none does, a field that is set to it is removed. */
export const coalesce = (...paths: string[]) => ({ $ifNull: [...paths, '$$REMOVE'] });
