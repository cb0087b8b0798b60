import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientRequest } from 'node:http';
import type { OutboundOptions } from '../proxy/outbound-options';
import { TunnelAgent } from '../proxy/tunnel-agent';

declare module 'http' {
  interface Agent {
    /** Called by Node for each request; missing in its types. */
    addRequest(request: ClientRequest, options: object): void;
  }
}

/** Decides about the requests that the SDK makes for one call. */
export interface RequestGate {
  /** @returns false to reject the request. */
  accept(request: ClientRequest): boolean;
}

/** The gate of the SDK call in the current async context. */
export const currentRequestGate = new AsyncLocalStorage<RequestGate>();

/** Concurrent requests to FCM; further ones wait for a connection. */
const MAX_CONNECTIONS = 100;

/** Shorter than the idle timeout of Google, so that no push is sent on a connection that is being closed. */
const IDLE_TIMEOUT_MS = 20_000;

/**
 * Patches firebase-admin (13.10), which retries a push after a timeout or a lost connection, when FCM may have it already;
 * the retries cannot be configured: https://github.com/firebase/firebase-admin-node/issues/1615.
 */
export class FcmAgent extends TunnelAgent {
  constructor(outbound: OutboundOptions = {}) {
    super({ keepAlive: true, maxSockets: MAX_CONNECTIONS, timeout: IDLE_TIMEOUT_MS }, outbound);
  }

  override addRequest(request: ClientRequest, options: object): void {
    const gate = currentRequestGate.getStore();
    if (!gate || gate.accept(request)) {
      super.addRequest(request, options);
      return;
    }
    process.nextTick(() => request.emit('error', new Error('Retries by the SDK are disabled')));
  }
}
