import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { Connection, mongo } from 'mongoose';
import { OperatorError } from '../../common/errors';
import { RolesConfig } from '../../config/sections/roles.config';
import { formatError } from '../../common/format-error';
import { SHARD_KEYS, UNSHARDED } from './shard-keys';
import {
  type ClusterCollection,
  type ClusterCommand,
  shardingCommands,
  type ShardingDifference,
  shardingDifferences,
  wrongKeyOf,
} from './sharding-state';

/** What `hello` of a `mongos` says instead of the name of a replica set. */
const MONGOS = 'isdbgrid';

const NAMESPACE_NOT_FOUND = 26;

/** Compares a sharded cluster with the plan of shard keys, and shards by it. Elsewhere there is nothing to compare. */
@Injectable()
export class Sharding {
  private readonly logger = new Logger(Sharding.name);

  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly roles: RolesConfig,
  ) {}

  /** Whether the connection is to a `mongos`. */
  async isOnCluster(): Promise<boolean> {
    const { msg } = await this.client.db('admin').command({ hello: 1 });
    return msg === MONGOS;
  }

  /**
   * For the start of a process: warns of collections that are not sharded.
   * @throws OperatorError if one is sharded by another key.
   */
  async check(): Promise<void> {
    // A process without a role is an admin command, which reports a wrong key itself.
    if (this.roles.roles.length === 0 || !(await this.isOnCluster())) return;
    let differences: ShardingDifference[];
    try {
      differences = await this.listDifferences();
    } catch (failure) {
      this.logger.warn(`The shard keys of the cluster could not be read: ${formatError(failure)}`);
      return;
    }
    const [wrong] = differences.flatMap((difference) => wrongKeyOf(difference) ?? []);
    if (wrong !== undefined) throw new OperatorError(wrong);
    if (differences.length > 0)
      this.logger.warn(
        `Not sharded, so on one shard: ${differences.map(({ collection }) => collection).join(', ')}; "admin shard" prints the commands`,
      );
  }

  /** The commands that shard what is not sharded as planned; all of them where there is no cluster. @throws OperatorError */
  async listCommands(): Promise<ClusterCommand[]> {
    const collections = (await this.isOnCluster()) ? await this.listUnsharded() : Object.keys(SHARD_KEYS);
    const indexes = new Map<string, string[]>();
    for (const collection of collections) indexes.set(collection, await this.listIndexes(collection));
    return shardingCommands(this.database, collections, (collection) => indexes.get(collection) ?? []);
  }

  /** @throws OperatorError where there is no `mongos`. */
  async requireCluster(): Promise<void> {
    if (await this.isOnCluster()) return;
    throw new OperatorError('Nothing was sharded: MONGODB_URI is not the address of a mongos');
  }

  async run({ database, command }: ClusterCommand): Promise<void> {
    await this.client.db(database).command(command);
  }

  private async listUnsharded(): Promise<string[]> {
    const differences = await this.listDifferences();
    const [wrong] = differences.flatMap((difference) => wrongKeyOf(difference) ?? []);
    if (wrong !== undefined) throw new OperatorError(wrong);
    return differences.map(({ collection }) => collection);
  }

  private async listDifferences(): Promise<ShardingDifference[]> {
    const collections = this.client.db('config').collection<ClusterCollection>('collections');
    const known = [...Object.keys(SHARD_KEYS), ...Object.keys(UNSHARDED)];
    const _id = { $in: known.map((collection) => `${this.database}.${collection}`) };
    return shardingDifferences(this.database, await collections.find({ _id }).toArray());
  }

  private async listIndexes(collection: string): Promise<string[]> {
    try {
      const indexes = await this.client.db(this.database).collection(collection).indexes();
      return indexes.map(({ name = '' }) => name);
    } catch (failure) {
      if (failure instanceof mongo.MongoServerError && failure.code === NAMESPACE_NOT_FOUND) return [];
      throw failure;
    }
  }

  private get client(): mongo.MongoClient {
    return this.connection.getClient();
  }

  private get database(): string {
    return this.connection.name;
  }
}
