import net from 'node:net';
import { createTenant } from '../../../bench/tenant';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import type { Attack, AttackContext, Finding } from '../attack';
import { callApi } from '../api-calls';
import { MemoryWatch } from '../memory-watch';
import { measureSlowdown, formatBound } from '../slowdown';

// Not that of other attacks: while an address is over its limit, it may only use credentials that are known already.
const ATTACKER_ADDRESS = '127.0.0.4';
const MAX_CONNECTIONS = 1_000;
/** Of the address of the attacker. */
const MAX_CONNECTIONS_PER_ADDRESS = 500;
const MAX_STREAMS = 20;
const MAX_SLOWDOWN = 3;

/** The limit in `anonymous-requests.ts`. */
const MAX_CONCURRENT_ANONYMOUS_REQUESTS = 50;

const SLOW_BODIES = 150;
const STREAMS = 60;
const IDLE_CONNECTIONS = 1_200;
const IDLE_CONNECTIONS_AT_ONCE = 100;

const MAX_MEMORY_MEGABYTES = 400;

/** Idle connections, endless bodies and streams from one address. */
export const manyConnections: Attack = {
  name: 'many-connections',
  roles: ['api'],
  environment: {
    MAX_CONNECTIONS: String(MAX_CONNECTIONS),
    MAX_CONNECTIONS_PER_ADDRESS: String(MAX_CONNECTIONS_PER_ADDRESS),
    MAX_STREAMS_PER_ACCOUNT: String(MAX_STREAMS),
  },
  async run(context: AttackContext): Promise<Finding[]> {
    const { apiUrl, records, installation, log } = context;
    const attacker = await createTenant(records, 'connections', STREAMS);
    const [api] = installation.withRole('api');
    if (!api) throw new Error('There is no API');
    const memory = new MemoryWatch(api);
    const { port } = new URL(apiUrl);
    const counts = { slow: {} as Counts, streams: {} as Counts, idle: {} as Counts };
    const slowdown = await measureSlowdown(context, MAX_SLOWDOWN, async () => {
      const attack = new Connections(Number(port));
      const slow = attack.open(SLOW_BODIES, slowBody);
      const streams = attack.open(STREAMS, (index) => openStream(attacker.apiKey, attacker.devices[index]));
      await eventually(
        () => [...slow, ...streams].filter(({ state }) => state === 'open').length,
        (openCount) => openCount <= MAX_CONCURRENT_ANONYMOUS_REQUESTS,
        20_000,
      );
      const idle: Connection[] = [];
      // All at once would overflow the queue of the listening socket: the kernel drops some, and their clients never learn it.
      while (idle.length < IDLE_CONNECTIONS) {
        idle.push(...attack.open(IDLE_CONNECTIONS_AT_ONCE, () => ''));
        await sleep(100);
      }
      await eventually(
        () => idle.filter(({ state }) => state === 'closed').length,
        (closed) => closed >= IDLE_CONNECTIONS - MAX_CONNECTIONS_PER_ADDRESS,
        20_000,
      );
      Object.assign(counts, {
        slow: countStates(slow),
        streams: countStates(streams),
        idle: countStates(idle),
      });
      log(JSON.stringify(counts));
      return {
        stop: async () => {
          attack.closeAll();
          await eventually(
            () =>
              callApi(apiUrl, context.apiKey, 'GET', '/gateway/stats').then(
                ({ status }) => status,
                () => 0,
              ),
            (status) => status === 200,
            20_000,
          );
        },
      };
    });
    memory.stop();
    const maxMegabytes = memory.maxMegabytes;
    const openConnections = IDLE_CONNECTIONS - (counts.idle.closed ?? 0);
    return [
      {
        attack: 'many-connections',
        cost: `${SLOW_BODIES} endless bodies, ${STREAMS} streams, ${IDLE_CONNECTIONS} idle connections, responses ${JSON.stringify(counts)}`,
        effect: `${slowdown.text}; at most ${maxMegabytes.toFixed(0)} MB`,
        bound: `${MAX_CONCURRENT_ANONYMOUS_REQUESTS} bodies, ${MAX_STREAMS} streams, ${MAX_CONNECTIONS_PER_ADDRESS} connections; 429 or closed above; ${formatBound(MAX_SLOWDOWN)}; ${MAX_MEMORY_MEGABYTES} MB`,
        passed:
          slowdown.isWithinBound &&
          maxMegabytes <= MAX_MEMORY_MEGABYTES &&
          (counts.slow.open ?? 0) <= MAX_CONCURRENT_ANONYMOUS_REQUESTS &&
          (counts.slow['429'] ?? 0) > 0 &&
          counts.streams['200'] === MAX_STREAMS &&
          counts.streams['429'] === STREAMS - MAX_STREAMS &&
          openConnections <= MAX_CONNECTIONS_PER_ADDRESS,
      },
    ];
  },
};

/** Connections by state. */
type Counts = Record<string, number>;

interface Connection {
  /** `open`, `closed`, or the status of the response. */
  state: string;
}

class Connections {
  private readonly sockets: net.Socket[] = [];

  constructor(private readonly port: number) {}

  /** @param payloadOf what the connection with this index says. */
  open(count: number, payloadOf: (index: number) => string): Connection[] {
    return Array.from({ length: count }, (_, index) => {
      const connection: Connection = { state: 'open' };
      const socket = net.connect({ port: this.port, host: '127.0.0.1', localAddress: ATTACKER_ADDRESS });
      const text = payloadOf(index);
      socket.once('connect', () => text && socket.write(text));
      socket.on('data', (data) => {
        const status = /^HTTP\/1\.1 (\d{3})/.exec(data.toString('latin1'))?.[1];
        if (connection.state === 'open' && status) connection.state = status;
      });
      socket.on('error', () => undefined);
      socket.once('close', () => {
        if (connection.state === 'open') connection.state = 'closed';
      });
      this.sockets.push(socket);
      return connection;
    });
  }

  closeAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

const slowBody = () =>
  'POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{';

const openStream = (apiKey: string, device: unknown) =>
  `GET /api/v1/gateway/devices/${String(device)}/stream HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n\r\n`;

function countStates(connections: readonly Connection[]): Counts {
  const counts: Counts = {};
  for (const { state } of connections) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
