import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type Cluster, type RedisOptions } from 'ioredis';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { addressOf, DISCONNECT_TIMEOUT_MS, nodeOfKey } from './redis-client';

const SEARCH_INTERVAL_MS = 200;

/** Connects to a node of a cluster, and at each reconnect chooses it anew. */
export interface ClusterConnector {
  /** For ioredis. The connection behaves as one to a single server: it is `ready` only while that node can be reached. */
  readonly Connector: RedisOptions['Connector'];
  /** Whether the node that it connected to last would be chosen no more. */
  readonly isMisplaced: () => boolean;
}

/** Connects to the node that serves a key. */
export function connectorToKey(cluster: Cluster, key: string): ClusterConnector {
  return connectorTo(
    cluster,
    () => nodeOfKey(cluster, key),
    (node) => node !== nodeOfKey(cluster, key),
  );
}

/** Connects to any node, at each reconnect to the next one. */
export function connectorToAnyNode(cluster: Cluster): ClusterConnector {
  let turn = Math.floor(Math.random() * 1_000);
  const listNodes = () => cluster.nodes().map(addressOf);
  const chooseNext = () => {
    const nodes = listNodes();
    turn += 1;
    return nodes[turn % nodes.length];
  };
  return connectorTo(cluster, chooseNext, (node) => !listNodes().includes(node));
}

function connectorTo(
  cluster: Cluster,
  choose: () => string | undefined,
  isMisplaced: (node: string) => boolean,
): ClusterConnector {
  let connectedTo: string | undefined;

  class Connector extends AbstractConnector {
    private readonly tls: RedisOptions['tls'];

    constructor(options: unknown) {
      super(DISCONNECT_TIMEOUT_MS);
      this.tls = (options as RedisOptions).tls;
    }

    /** Rejects only if it was disconnected: ioredis would not try again. */
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
      connectedTo = node;
      const portAt = node.lastIndexOf(':');
      const address: NetConnectOpts = { host: node.slice(0, portAt), port: Number(node.slice(portAt + 1)) };
      this.stream = this.tls ? connectTls({ ...address, ...this.tls }) : connect(address);
      this.stream.once('error', (failure: Error) => {
        this.firstError = failure;
      });
      return this.stream;
    }
  }
  return { Connector, isMisplaced: () => connectedTo !== undefined && isMisplaced(connectedTo) };
}

/** Reads which node serves which slot. Resolves also without an answer; what was known stays. */
const refresh = (cluster: Cluster): Promise<void> =>
  new Promise((resolve) => {
    cluster.refreshSlotsCache(() => {
      resolve();
    });
  });
