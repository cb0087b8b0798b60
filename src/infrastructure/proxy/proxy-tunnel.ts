import { request } from 'node:http';
import type { Socket } from 'node:net';

/** The proxy did not connect, so nothing was sent to the host. */
export class ProxyError extends Error {
  constructor(status: number | undefined) {
    super(`the proxy answered ${status ?? 'nothing'} to CONNECT`);
  }
}

/**
 * Opens a connection to a host through an HTTP proxy (`CONNECT`).
 * @param proxy may contain a user and a password.
 * @param hostname with brackets if it is an IPv6 address.
 * @param signal aborts the attempt; the caller closes an open connection.
 * @throws ProxyError if the proxy refuses; the error of Node if it cannot be reached.
 */
export function openTunnel(
  proxy: URL,
  hostname: string,
  port: number,
  signal?: AbortSignal,
): Promise<Socket> {
  const authority = `${hostname}:${port}`;
  const credentials = [proxy.username, proxy.password].map(decodeURIComponent).join(':');
  const connecting = request({
    method: 'CONNECT',
    host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: proxy.port || 80,
    path: authority,
    headers: {
      host: authority,
      ...(proxy.username && {
        'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
      }),
    },
    agent: false,
    signal,
  });
  return new Promise((resolve, reject) => {
    connecting.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new ProxyError(statusCode));
    });
    // A proxy that does not know CONNECT, or wants credentials, may answer like a server.
    connecting.once('response', ({ statusCode }) => {
      connecting.destroy();
      reject(new ProxyError(statusCode));
    });
    connecting.once('error', reject);
    connecting.end();
  });
}
