import { SHARD_KEYS } from './shard-keys';
import {
  type ClusterCollection,
  formatCommand,
  shardingCommands,
  shardingDifferences,
  wrongKeyOf,
} from './sharding-state';

/** As in the manual, "config.collections", with its other fields. */
const sharded = (name: string, key: ClusterCollection['key'], fields: object = {}) => ({
  ...{ _id: name, lastmodEpoch: '61a1b1', lastmod: new Date(0), timestamp: 1, uuid: 'd2a1' },
  ...{ key, unique: false, noBalance: false, ...fields },
});
const asPlanned = Object.entries(SHARD_KEYS).map(([name, key]) => sharded(`gateway.${name}`, key));

describe('a cluster beside the plan', () => {
  it('has no differences when it is sharded as planned', () => {
    expect(shardingDifferences('gateway', asPlanned)).toEqual([]);
    expect(shardingCommands('gateway', [], () => [])).toEqual([]);
  });

  it('lacks collections of other databases, dropped ones, and those that were only moved', () => {
    const others = asPlanned.slice(1);
    const messages = { _id: 'gateway.messages', key: { user: 1, _id: 'hashed' } } as const;
    for (const found of [
      { ...messages, _id: 'other.messages' },
      { ...messages, dropped: true },
      { ...messages, key: { _id: 1 as const }, unsplittable: true },
    ]) {
      const [difference, ...more] = shardingDifferences('gateway', [found, ...others]);
      expect(more).toEqual([]);
      expect(difference).toEqual({ collection: 'messages', planned: SHARD_KEYS.messages });
      expect(difference && wrongKeyOf(difference)).toBeUndefined();
    }
  });

  it('says in one sentence which collection is sharded by another key, or must not be sharded', () => {
    const wrong = [
      sharded('gateway.messages', { user: 1, device: 1 }),
      sharded('gateway.accounts', { _id: 'hashed' }),
      ...asPlanned.slice(1),
    ];
    expect(shardingDifferences('gateway', wrong).map(wrongKeyOf)).toEqual([
      'The collection messages is sharded by {"user":1,"device":1}, but this version needs {"user":1,"_id":"hashed"}: reshard it, see docs/operate/scaling.md',
      'The collection accounts is sharded by {"_id":"hashed"}, but must lie on one shard (`email` is unique across accounts): see docs/operate/scaling.md',
    ]);
  });

  it('is sharded by commands, without the unique index of an earlier version; those of operators stay', () => {
    const commands = shardingCommands('gateway', ['messages', 'batches'], (collection) =>
      collection === 'messages' ? ['_id_', 'user_1_device_1_fingerprint_1', 'of_an_operator'] : ['_id_'],
    );
    expect(commands.map(formatCommand)).toEqual([
      'db.getSiblingDB("admin").runCommand({"enableSharding":"gateway"})',
      'db.getSiblingDB("gateway").runCommand({"dropIndexes":"messages","index":"user_1_device_1_fingerprint_1"})',
      'db.getSiblingDB("gateway").runCommand({"createIndexes":"messages","indexes":[{"key":{"user":1,"_id":"hashed"},"name":"user_1__id_hashed"}]})',
      'db.getSiblingDB("admin").runCommand({"shardCollection":"gateway.messages","key":{"user":1,"_id":"hashed"}})',
      'db.getSiblingDB("admin").runCommand({"shardCollection":"gateway.batches","key":{"user":1}})',
    ]);
  });
});
