import { createServer, type RequestListener, type Server } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { HttpConfig, TrustedProxies } from '../../../config/sections/http.config';
import { respondInsteadOfNode } from './node-responses';
import { oneRequestAtATime } from './one-request-at-a-time';
import { OpenConnections } from './open-connections';

/** Limits on connections, which apply before authentication. */
export const CONNECTION_LIMITS = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  /** Timeout of a connection without traffic during a request, for example of a client that does not read the response. */
  idleTimeoutMs: 60_000,
  /** How often the timeouts of headers, requests and silent connections are checked. */
  checkIntervalMs: 1_000,
  /** Longer than the 60 s of load balancers, which could otherwise send a request on a closing connection. */
  keepAliveMs: 65_000,
  /** Includes the request line, so it also limits the URL. */
  maxHeaderBytes: 16 * 1024,
  /** Further headers are dropped; newer versions of Node reject the request. */
  maxHeaders: 100,
  /** Per process, including streams. */
  maxConnections: 20_000,
  /** Of one address that is not a trusted proxy. */
  maxConnectionsPerAddress: 10_000,
  /** Pipelined requests that wait for an earlier response, of all connections together: about 4 KB each. */
  maxWaitingRequests: 10_000,
};

export type ConnectionLimits = Readonly<typeof CONNECTION_LIMITS>;

/**
 * Connections that wait to be accepted: after a start thousands of phones connect at once, and Linux leaves those that do not fit waiting
 * for up to a minute. Node's default is 511. Node accepts all in one turn of the event loop: 4,096 took 195 ms.
 */
export const MAX_UNACCEPTED_CONNECTIONS = 1_024;

/** Without a setting, one address can have half of the connections: many phones share the address of their carrier. */
export const connectionLimitsOf = ({
  maxConnections,
  maxConnectionsPerAddress = Math.ceil(maxConnections / 2),
}: HttpConfig): ConnectionLimits => ({ ...CONNECTION_LIMITS, maxConnections, maxConnectionsPerAddress });

export interface LimitedHttpServer {
  readonly server: Server;
  readonly connections: OpenConnections;
}

/** Creates Node's HTTP server with limits on its connections. */
export function createHttpServer(
  handle: RequestListener,
  limits: ConnectionLimits,
  trustProxy: TrustedProxies,
): LimitedHttpServer {
  const connections = new OpenConnections({
    ...limits,
    // Node closes most of them earlier, but has no time limit for an idle connection on which empty lines arrive: they end the
    // keep-alive time without beginning a request.
    maxSilentMs: limits.keepAliveMs + limits.headersTimeoutMs,
    isTrustedProxy: trustedProxyCheck(trustProxy),
  });
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      keepAliveTimeout: limits.keepAliveMs,
      maxHeaderSize: limits.maxHeaderBytes,
    },
    oneRequestAtATime((request, response) => {
      connections.addRequest(request.socket, response);
      handle(request, response);
    }, limits.maxWaitingRequests),
  );
  respondInsteadOfNode(server);
  server.setTimeout(limits.idleTimeoutMs);
  server.maxHeadersCount = limits.maxHeaders;
  server.on('connection', (socket) => {
    connections.add(socket);
  });
  const timer = setInterval(() => {
    connections.closeExpired();
  }, limits.checkIntervalMs).unref();
  server.once('close', () => {
    clearInterval(timer);
  });
  return { server, connections };
}

/** With a number of proxies, the peer of every connection is one. */
function trustedProxyCheck(trustProxy: TrustedProxies): (address: string) => boolean {
  if (typeof trustProxy !== 'object') return () => trustProxy !== false;
  const isTrusted = proxyAddr.compile([...trustProxy]);
  return (address) => isTrusted(address, 0);
}
