/**
 * Removes the base path from the URL of a request. A proxy may have kept or removed it, so a URL without it is returned as it is.
 * @param basePath such as `/sms`; empty if there is none.
 */
export function withoutBasePath(url: string, basePath: string): string {
  if (!url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url;
}
