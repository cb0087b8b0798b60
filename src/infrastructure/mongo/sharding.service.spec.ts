import { Logger } from '@nestjs/common';
import type { Connection } from 'mongoose';
import { RolesConfig } from '../../config/sections/roles.config';
import { SHARD_KEYS } from './shard-keys';
import { Sharding } from './sharding.service';
import type { ClusterCollection, ClusterCommand } from './sharding-state';

/** As `mongos` and a replica set answer, by the manual. */
const MONGOS = { isWritablePrimary: true, msg: 'isdbgrid', maxWireVersion: 21, ok: 1 };
const REPLICA_SET = { isWritablePrimary: true, setName: 'rs0', hosts: ['one:27017'], ok: 1 };

const planned = Object.entries(SHARD_KEYS).map(([name, key]) => ({ _id: `gateway.${name}`, key }));

/** A connection that answers as recorded, because tests have no `mongos`. */
function newCluster(hello: object, found: readonly ClusterCollection[] | Error) {
  const sent: ClusterCommand[] = [];
  const client = {
    db: (database: string) => ({
      command: (command: ClusterCommand['command']) => {
        if (!('hello' in command)) sent.push({ database, command });
        return Promise.resolve(hello);
      },
      collection: () => ({
        find: () => ({
          toArray: () => (found instanceof Error ? Promise.reject(found) : Promise.resolve(found)),
        }),
        indexes: () => Promise.resolve([{ name: '_id_', key: { _id: 1 } }]),
      }),
    }),
  };
  const connection = { name: 'gateway', getClient: () => client } as unknown as Connection;
  return { sharding: new Sharding(connection, new RolesConfig()), sent };
}

describe('a process that starts', () => {
  const warnings: unknown[] = [];
  const check = (hello: object, found: readonly ClusterCollection[] | Error) =>
    newCluster(hello, found).sharding.check();

  beforeEach(() => {
    warnings.length = 0;
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((text) => warnings.push(text));
  });
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['without a cluster', REPLICA_SET, []],
    ['on a cluster that is sharded as planned', MONGOS, planned],
  ])('says nothing %s', async (_where, hello, found) => {
    await check(hello, found);
    expect(warnings).toEqual([]);
  });

  it('warns of what is not sharded', async () => {
    await check(MONGOS, planned.slice(2));
    expect(warnings).toEqual([
      'Not sharded, so on one shard: messages, webhookdeliveries; "admin shard" prints the commands',
    ]);
  });

  it('warns if it may not read the shard keys', async () => {
    await check(MONGOS, new Error('not authorized on config'));
    expect(warnings).toEqual([
      'The shard keys of the cluster could not be read: Error: not authorized on config',
    ]);
  });

  it('ends with one sentence if a collection is sharded by another key', async () => {
    const wrong = { _id: 'gateway.messages', key: { user: 1, device: 1 } } as const;
    await expect(check(MONGOS, [wrong])).rejects.toThrow(
      /^The collection messages is sharded by .* reshard it/,
    );
  });
});

describe('sharding a cluster', () => {
  it('runs what is left', async () => {
    const { sharding, sent } = newCluster(MONGOS, planned.slice(1));
    await sharding.requireCluster();
    for (const command of await sharding.listCommands()) await sharding.run(command);
    expect(sent.map(({ command }) => Object.keys(command)[0])).toEqual([
      'enableSharding',
      'createIndexes',
      'shardCollection',
    ]);
  });

  it('lists everything where there is no cluster, and runs nothing', async () => {
    const { sharding } = newCluster(REPLICA_SET, []);
    const commands = await sharding.listCommands();
    expect(commands.filter(({ command }) => 'shardCollection' in command)).toHaveLength(
      Object.keys(SHARD_KEYS).length,
    );
    await expect(sharding.requireCluster()).rejects.toThrow('not the address of a mongos');
  });
});
