/** The path of the service on its host, such as `/sms`; empty at the root. */
export const BASE_PATH = new URL(document.baseURI).pathname.replace(/\/$/, '');

/** The address of the service for programs and phones. */
export const serviceUrl = (): string => location.origin + BASE_PATH;

/** The path and the query of the page that is shown, without the base path. */
export const currentPath = (): string => location.pathname.slice(BASE_PATH.length) + location.search;
