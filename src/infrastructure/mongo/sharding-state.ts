import { REPLACED_INDEXES, SHARD_KEYS, type ShardKey, UNSHARDED } from './shard-keys';

/** A document of `config.collections` of a cluster, of which MongoDB documents these fields. */
export interface ClusterCollection {
  /** With the database: `messaging.messages`. */
  readonly _id: string;
  readonly key: ShardKey;
  /** Of old versions: it exists no longer. */
  readonly dropped?: boolean;
  /** Since MongoDB 8: it is not sharded, and may lie on any shard. */
  readonly unsplittable?: boolean;
}

/** A collection whose shard key is not that of the plan. */
export interface ShardingDifference {
  readonly collection: string;
  /** Absent: it must not be sharded. */
  readonly planned?: ShardKey;
  /** Absent: it is not sharded. */
  readonly actual?: ShardKey;
}

/** A command of MongoDB, and the database it is sent to. */
export interface ClusterCommand {
  readonly database: string;
  readonly command: Readonly<Record<string, unknown>>;
}

/** Compares a cluster with the plan. @param found the collections of the cluster, of all databases. */
export function shardingDifferences(
  database: string,
  found: readonly ClusterCollection[],
): ShardingDifference[] {
  const keys = new Map(
    found
      .filter(({ dropped, unsplittable }) => !dropped && !unsplittable)
      .map(({ _id, key }) => [_id, key] as const),
  );
  return [...Object.keys(SHARD_KEYS), ...Object.keys(UNSHARDED)].flatMap((collection) => {
    const [planned, actual] = [SHARD_KEYS[collection], keys.get(`${database}.${collection}`)];
    if (formatKey(planned) === formatKey(actual)) return [];
    return [{ collection, ...(planned && { planned }), ...(actual && { actual }) }];
  });
}

/** What is wrong with a collection that is sharded, but not as planned; undefined for one that is not sharded. */
export function wrongKeyOf({ collection, planned, actual }: ShardingDifference): string | undefined {
  if (!actual) return undefined;
  const found = `The collection ${collection} is sharded by ${formatKey(actual)}`;
  return planned
    ? `${found}, but this version needs ${formatKey(planned)}: reshard it, see docs/operate/scaling.md`
    : `${found}, but must lie on one shard (${UNSHARDED[collection] ?? ''}): see docs/operate/scaling.md`;
}

/**
 * The commands that shard collections, in order. Each can be repeated.
 * @param indexesOf the names of the stored indexes of a collection.
 */
export function shardingCommands(
  database: string,
  collections: readonly string[],
  indexesOf: (collection: string) => readonly string[],
): ClusterCommand[] {
  const commands = collections.flatMap((collection) => {
    const key = SHARD_KEYS[collection] ?? {};
    const replaced = REPLACED_INDEXES[collection] ?? [];
    const dropped = indexesOf(collection).filter((name) => replaced.includes(name));
    return [
      ...dropped.map((name) => ({ database, command: { dropIndexes: collection, index: name } })),
      // The schemas have an index for every other key.
      ...(Object.values(key).includes('hashed')
        ? [{ database, command: { createIndexes: collection, indexes: [{ key, name: nameOf(key) }] } }]
        : []),
      { database: 'admin', command: { shardCollection: `${database}.${collection}`, key } },
    ];
  });
  if (commands.length === 0) return [];
  return [{ database: 'admin', command: { enableSharding: database } }, ...commands];
}

/** For mongosh. */
export const formatCommand = ({ database, command }: ClusterCommand): string =>
  `db.getSiblingDB(${JSON.stringify(database)}).runCommand(${JSON.stringify(command)})`;

const nameOf = (key: ShardKey): string => Object.entries(key).flat().join('_');

const formatKey = (key: ShardKey | undefined): string => JSON.stringify(key);
