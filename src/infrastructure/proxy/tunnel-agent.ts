import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { type OutboundOptions, trustedAuthorities } from './outbound-options';
import { openTunnel } from './proxy-tunnel';

const CONNECT_TIMEOUT_MS = 30_000;

type OnConnection = (error: Error | null, stream: Duplex) => void;

/** An agent for the HTTPS requests of a library, with the proxy and the certificate authorities of the operator. */
export class TunnelAgent extends Agent {
  constructor(
    options: AgentOptions,
    private readonly outbound: OutboundOptions,
  ) {
    super({ ...options, ca: trustedAuthorities(outbound.extraCa) });
  }

  override createConnection(options: RequestOptions, callback?: OnConnection): Duplex | null | undefined {
    const proxy = this.outbound.proxyFor?.(options.host ?? '');
    if (!proxy) return super.createConnection(options, callback);
    void this.connectThrough(proxy, options).then(
      (stream) => callback?.(null, stream),
      (error: unknown) => callback?.(error as Error, undefined as never),
    );
    return undefined; // Node then waits for the callback.
  }

  /** Resolves after the handshake, so that a request is sent as soon as it has a connection. */
  private async connectThrough(proxy: URL, options: RequestOptions): Promise<Duplex> {
    const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
    const tunnel = await openTunnel(proxy, options.host ?? '', Number(options.port) || 443, signal);
    return new Promise((resolve, reject) => {
      const stream = super.createConnection(Object.assign({}, options, { socket: tunnel }));
      if (!stream) throw new Error('Node returns the connections of its own agents');
      const abort = () => stream.destroy(new Error('The handshake timed out'));
      const settle = (isReady: boolean, error?: Error) => {
        signal.removeEventListener('abort', abort);
        stream.off('error', fail).off('secureConnect', succeed);
        if (isReady) resolve(stream);
        else reject(error ?? new Error('The connection was closed during the handshake'));
      };
      const fail = (error: Error) => {
        settle(false, error);
      };
      const succeed = () => {
        settle(true);
      };
      signal.addEventListener('abort', abort);
      stream.once('error', fail);
      stream.once('secureConnect', succeed);
    });
  }
}
