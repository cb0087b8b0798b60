import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports';
import { until } from './processes';
import { StackUnavailable } from './stack-unavailable';
import { serverSettings, TemporaryRedis } from './temporary-redis';

const MASTER = 'mymaster';
const SENTINELS = 3;
const START_MS = 30_000;

/**
 * A master and a replica with three sentinels, on free ports and in a temporary folder. After a second without an answer the replica
 * becomes the master, within about two seconds more. It ends with this process.
 */
export class TemporaryRedisSentinels {
  private constructor(
    readonly servers: readonly TemporaryRedis[],
    readonly sentinels: readonly TemporaryRedis[],
    private readonly passwords: { readonly server: string; readonly sentinel: string },
    private readonly folder: string,
  ) {}

  /** Takes about three seconds. @throws StackUnavailable */
  static async start(): Promise<TemporaryRedisSentinels> {
    const folder = mkdtempSync(join(tmpdir(), 'redis-sentinels-'));
    const passwords = { server: randomBytes(16).toString('hex'), sentinel: randomBytes(16).toString('hex') };
    const create = async (password: string, settings: readonly string[], isSentinel = false) => {
      const port = await freePort();
      return new TemporaryRedis({ port, folder: join(folder, String(port)), password, settings, isSentinel });
    };
    const settings = serverSettings(passwords.server);
    const master = await create(passwords.server, settings);
    const replica = await create(passwords.server, [...settings, `replicaof 127.0.0.1 ${master.port}`]);
    const watching = [
      `requirepass ${passwords.sentinel}`,
      `sentinel sentinel-pass ${passwords.sentinel}`,
      `sentinel monitor ${MASTER} 127.0.0.1 ${master.port} 2`,
      `sentinel auth-pass ${MASTER} ${passwords.server}`,
      `sentinel down-after-milliseconds ${MASTER} 1000`,
      `sentinel failover-timeout ${MASTER} 5000`,
    ];
    const sentinels: TemporaryRedis[] = [];
    while (sentinels.length < SENTINELS) sentinels.push(await create(passwords.sentinel, watching, true));
    const group = new TemporaryRedisSentinels([master, replica], sentinels, passwords, folder);
    try {
      await master.start();
      await replica.start();
      await Promise.all(sentinels.map((sentinel) => sentinel.start()));
      if (!(await until(() => group.isWhole(), START_MS)))
        throw new StackUnavailable(`The temporary sentinels do not find each other, see ${folder}`);
    } catch (failure) {
      await group.stop();
      throw failure;
    }
    return group;
  }

  /** The settings of the service. */
  get environment(): Readonly<Record<'REDIS_SENTINELS' | 'REDIS_SENTINEL_MASTER', string>> {
    const { server, sentinel } = this.passwords;
    return {
      REDIS_SENTINELS: `redis://:${sentinel}@${this.sentinels.map(({ address }) => address).join(',')}`,
      REDIS_SENTINEL_MASTER: `redis://:${server}@${MASTER}`,
    };
  }

  /** The server that the sentinels name. */
  async master(): Promise<TemporaryRedis> {
    const [sentinel] = this.sentinels;
    const [, port] = (await sentinel?.call('SENTINEL', 'get-master-addr-by-name', MASTER)) as string[];
    const master = this.servers.find((server) => server.port === Number(port));
    if (!master) throw new Error('The sentinels name no server of the group');
    return master;
  }

  /** Has the sentinels make the replica the master. @throws StackUnavailable if they do not */
  async failOver(): Promise<void> {
    const before = await this.master();
    const ask = async () => this.sentinels[0]?.call('SENTINEL', 'FAILOVER', MASTER);
    let isAccepted = false;
    const hasChanged = async () => {
      // Refused while an earlier one is in progress, or no replica is known to be up.
      isAccepted ||= await ask().then(
        () => true,
        () => false,
      );
      return (await this.master().catch(() => before)) !== before;
    };
    if (!(await until(hasChanged, START_MS)))
      throw new StackUnavailable('The temporary sentinels make no other server the master');
  }

  /**
   * Whether each sentinel knows the others and the replica, without which nobody is elected, and the replica has the data of
   * the master.
   */
  async isWhole(): Promise<boolean> {
    try {
      const master = await this.master();
      const replication = String(await master.call('INFO', 'replication'));
      const known = await Promise.all(
        this.sentinels.map((sentinel) => sentinel.field('master0', 'INFO', 'sentinel')),
      );
      return (
        /^role:master\s/m.test(replication) &&
        replication.includes('state=online') &&
        known.every((text) => text?.includes('status=ok') && text.includes(`slaves=1,sentinels=${SENTINELS}`))
      );
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers].map((each) => each.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
