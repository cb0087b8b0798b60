import net from 'node:net';
import { makeTenant } from '../../../bench/tenant';
import { eventually } from '../../support/eventually';
import type { Attack, AttackStage, Finding } from '../attack';
import { callApi } from '../call';
import { MemoryWatch } from '../memory';
import { measureSlowdown, slowdownBound } from '../windows';

const ATTACKER = '127.0.0.3';
const MAX_CONNECTIONS = 1_000;
const MAX_STREAMS = 20;
const MAX_SLOWDOWN = 3;

/** As `anonymous-requests.ts` has it. */
const MAX_CONCURRENT_ANONYMOUS_REQUESTS = 50;

const SLOW_BODIES = 150;
const STREAMS = 60;
const IDLE = 1_200;

/** What the tenant and this program need, apart from the attacker. */
const SPARE_CONNECTIONS = 20;
const MAX_MEMORY_MEGABYTES = 400;

/** Connections that say nothing, bodies that never end, and streams, from one address. */
export const manyConnections: Attack = {
  name: 'many-connections',
  roles: ['api'],
  environment: {
    MAX_CONNECTIONS: String(MAX_CONNECTIONS),
    MAX_STREAMS_PER_ACCOUNT: String(MAX_STREAMS),
  },
  async run(stage: AttackStage): Promise<Finding[]> {
    const { apiUrl, records, installation, say } = stage;
    const attacker = await makeTenant(records, 'connections', STREAMS);
    const [api] = installation.withRole('api');
    if (!api) throw new Error('There is no API');
    const memory = new MemoryWatch(api);
    const { port } = new URL(apiUrl);
    const counts = { slow: {} as Counts, streams: {} as Counts, idle: {} as Counts };
    const slowdown = await measureSlowdown(stage, MAX_SLOWDOWN, async () => {
      const attack = new Connections(Number(port));
      const slow = attack.open(SLOW_BODIES, slowBody);
      const streams = attack.open(STREAMS, (index) => openStream(attacker.apiKey, attacker.devices[index]));
      await eventually(
        () => [...slow, ...streams].filter(({ state }) => state === 'open').length,
        (silent) => silent <= MAX_CONCURRENT_ANONYMOUS_REQUESTS,
        20_000,
      );
      const idle = attack.open(IDLE, () => '');
      await eventually(
        () => idle.filter(({ state }) => state === 'closed').length,
        (closed) => closed >= IDLE - MAX_CONNECTIONS,
        20_000,
      );
      Object.assign(counts, { slow: countOf(slow), streams: countOf(streams), idle: countOf(idle) });
      say(JSON.stringify(counts));
      return {
        end: async () => {
          attack.leave();
          await eventually(
            () =>
              callApi(apiUrl, stage.apiKey, 'GET', '/gateway/stats').then(
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
    const most = memory.mostMegabytes;
    const held = IDLE - (counts.idle.closed ?? 0);
    return [
      {
        attack: 'many-connections',
        cost: `${SLOW_BODIES} bodies without end, ${STREAMS} streams, ${IDLE} silent connections, answered ${JSON.stringify(counts)}`,
        effect: `${slowdown.text}; at most ${most.toFixed(0)} MB`,
        bound: `${MAX_CONCURRENT_ANONYMOUS_REQUESTS} bodies, ${MAX_STREAMS} streams, ${MAX_CONNECTIONS} connections, 429 or closed beyond; ${slowdownBound(MAX_SLOWDOWN)}; ${MAX_MEMORY_MEGABYTES} MB`,
        isHeld:
          slowdown.isHeld &&
          most <= MAX_MEMORY_MEGABYTES &&
          (counts.slow.open ?? 0) <= MAX_CONCURRENT_ANONYMOUS_REQUESTS &&
          (counts.slow['429'] ?? 0) > 0 &&
          counts.streams['200'] === MAX_STREAMS &&
          counts.streams['429'] === STREAMS - MAX_STREAMS &&
          held <= MAX_CONNECTIONS + SPARE_CONNECTIONS,
      },
    ];
  },
};

/** Connections by what became of them. */
type Counts = Record<string, number>;

interface Connection {
  /** `open` until it is answered or closed; then the status of the answer, or `closed`. */
  state: string;
}

class Connections {
  private readonly sockets: net.Socket[] = [];

  constructor(private readonly port: number) {}

  /** @param textOf what the connection with this index says. */
  open(count: number, textOf: (index: number) => string): Connection[] {
    return Array.from({ length: count }, (_, index) => {
      const connection: Connection = { state: 'open' };
      const socket = net.connect({ port: this.port, host: '127.0.0.1', localAddress: ATTACKER });
      const text = textOf(index);
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

  leave(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

const slowBody = () =>
  'POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{';

const openStream = (apiKey: string, device: unknown) =>
  `GET /api/v1/gateway/devices/${String(device)}/stream HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n\r\n`;

function countOf(connections: readonly Connection[]): Counts {
  const counts: Counts = {};
  for (const { state } of connections) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
