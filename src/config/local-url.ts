const EVERYWHERE = ['0.0.0.0', '::'];

/** @param host a name or an address. */
export const httpUrl = (host: string, port: number | string): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The URL, on the same computer, of a service that listens on `host`. */
export const localUrl = (host: string, port: number | string): string =>
  httpUrl(EVERYWHERE.includes(host) ? '127.0.0.1' : host, port);
