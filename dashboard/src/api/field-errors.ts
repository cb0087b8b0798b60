import { ApiError } from './client';

/** The messages of the API by field. */
export const fieldErrors = (error: unknown): Record<string, string> =>
  error instanceof ApiError
    ? Object.fromEntries(error.details.map(({ field, message }) => [field, message]))
    : {};
