import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { freePort } from 'messaging-gateway-local-stack/ports';
import { serverSettings, TemporaryRedis } from 'messaging-gateway-local-stack/temporary-redis';
import { selfSignedCertificate } from '../support/certificates';
import { eventually } from '../support/eventually';
import { RedisConfig } from '../../src/config/sections/redis.config';
import { ResilientRedis } from '../../src/infrastructure/patches/ioredis-unhandled-rejections';
import { assertRedisUsable } from '../../src/infrastructure/redis/assert-redis-usable';
import { connectRedis } from '../../src/infrastructure/redis/redis-connection';
import { RedisConnections } from '../../src/infrastructure/redis/redis-connections';

const PASSWORD = 'secret';

describe('a Redis Cluster with TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
  let redis: TemporaryRedis;
  let address: string;
  const opened: Pick<Redis, 'disconnect'>[] = [];

  // A cluster of one node.
  beforeAll(async () => {
    const [port, busPort, tlsPort] = [await freePort(), await freePort(), await freePort()];
    address = `127.0.0.1:${tlsPort}`;
    const { cert, key } = selfSignedCertificate(['127.0.0.1']);
    writeFileSync(join(folder, 'cert.pem'), cert);
    writeFileSync(join(folder, 'key.pem'), key);
    const settings = [
      ...serverSettings(PASSWORD),
      'cluster-enabled yes',
      `cluster-port ${busPort}`,
      'cluster-announce-ip 127.0.0.1',
      `tls-port ${tlsPort}`,
      'tls-cluster yes',
      'tls-auth-clients no',
      'tls-cert-file cert.pem',
      'tls-key-file key.pem',
      'tls-ca-cert-file cert.pem',
    ];
    redis = new TemporaryRedis({ port, folder, password: PASSWORD, settings });
    await redis.start();
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    await eventually(
      () => redis.field('cluster_state', 'CLUSTER', 'INFO'),
      (state) => state === 'ok',
    );
    // An own authority is read from NODE_EXTRA_CA_CERTS, but only when Node starts.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  });
  afterAll(async () => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    for (const connection of opened) connection.disconnect();
    await redis.kill();
    rmSync(folder, { recursive: true });
  });

  const settings = (clusterNodes: string) => Object.assign(new RedisConfig(), { clusterNodes });

  it('is used by all connections, and not without TLS', async () => {
    const config = settings(`rediss://:${PASSWORD}@${address}`);
    const client = await connectRedis(config);
    opened.push(client);
    expect(await client.set('key', 'value')).toBe('OK');
    const connections = new RedisConnections(config, client);
    for (const key of ['key', undefined]) {
      const connection = connections.open(ResilientRedis, {}, { key });
      opened.push(connection);
      expect(await connection.ping()).toBe('PONG');
    }
    await expect(assertRedisUsable(settings(`redis://:${PASSWORD}@${address}`))).rejects.toThrow(
      /^Cannot reach a node of the Redis Cluster/,
    );
  });
});
