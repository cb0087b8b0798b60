import type { ServerResponse } from 'node:http';

/**
 * Releases the headers of a response that were sent. Node keeps those of `setHeader` for as long as the response lasts, 2 kB for each open
 * stream, and has no public way to release them. If Node renames its field, they are kept again.
 */
export function releaseSentHeaders(response: ServerResponse): void {
  if (!response.headersSent) return;
  const store = Object.getOwnPropertySymbols(response).find(
    ({ description }) => description === 'kOutHeaders',
  );
  if (store) Reflect.set(response, store, null);
}
