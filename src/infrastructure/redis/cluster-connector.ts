import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type Cluster, type RedisOptions } from 'ioredis';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { addressOf, DISCONNECT_TIMEOUT_MS, nodeOfKey } from './redis-client';

const SEARCH_INTERVAL_MS = 200;

type ChooseNode = () => string | undefined;

/**
 * Connects to the node of a cluster that serves a key, and at each reconnect looks for it again. So the connection behaves as one to a
 * single server: it is `ready` only while that node can be reached.
 */
export const connectorToKey = (cluster: Cluster, key: string): RedisOptions['Connector'] =>
  connectorTo(cluster, () => nodeOfKey(cluster, key));

/** Connects to any node of a cluster, at each reconnect to the next one. */
export function connectorToAnyNode(cluster: Cluster): RedisOptions['Connector'] {
  let turn = Math.floor(Math.random() * 1_000);
  return connectorTo(cluster, () => {
    const nodes = cluster.nodes();
    const node = nodes[(turn += 1) % nodes.length];
    return node && addressOf(node);
  });
}

function connectorTo(cluster: Cluster, choose: ChooseNode): RedisOptions['Connector'] {
  return class extends AbstractConnector {
    private readonly tls: RedisOptions['tls'];

    constructor(options: unknown) {
      super(DISCONNECT_TIMEOUT_MS);
      this.tls = (options as RedisOptions).tls;
    }

    /** Rejects only if it was disconnected: the connection would not be tried again. */
    override async connect() {
      this.connecting = true;
      for (;;) {
        await tryWithTimeout(refresh(cluster));
        this.assertConnecting();
        const node = choose();
        if (node !== undefined) return this.open(node);
        await sleep(SEARCH_INTERVAL_MS);
      }
    }

    private assertConnecting(): void {
      if (!this.connecting) throw new Error('Connection is closed.');
    }

    private open(node: string) {
      const at = node.lastIndexOf(':');
      const address: NetConnectOpts = { host: node.slice(0, at), port: Number(node.slice(at + 1)) };
      this.stream = this.tls ? connectTls({ ...address, ...this.tls }) : connect(address);
      this.stream.once('error', (failure: Error) => {
        this.firstError = failure;
      });
      return this.stream;
    }
  };
}

/** Reads which node serves which slot. Resolves also without an answer; what was known stays. */
const refresh = (cluster: Cluster): Promise<void> =>
  new Promise((resolve) => {
    cluster.refreshSlotsCache(() => {
      resolve();
    });
  });
