import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { Connection, mongo } from 'mongoose';
import { isDuplicateKey } from '../common/persistence/duplicate-key';

/** A migration that has run to its end. */
export interface MigrationRecord {
  /** The migration's name. */
  readonly _id: string;
  readonly finishedAt: Date;
  /** How long its last run took; interrupted runs before it are not included. */
  readonly durationMs: number;
}

interface MigrationLease {
  readonly _id: 'lease';
  readonly heldBy?: mongo.ObjectId;
  readonly heldUntil: Date;
}

/**
 * The record of what ran, and the lease of the process that runs it. Both are read by `_id`, or whole: there is one small
 * document for each migration. All times are the database's own, so that no machine's clock matters.
 */
@Injectable()
export class MigrationsRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** The database that is migrated. */
  get db(): mongo.Db {
    return this.connection.getClient().db(this.connection.name);
  }

  listFinished(): Promise<MigrationRecord[]> {
    return this.records.find({}).sort({ _id: 1 }).toArray();
  }

  async isFinished(name: string): Promise<boolean> {
    return (await this.records.findOne({ _id: name })) !== null;
  }

  /** Records that a migration ran to its end; the first record stays. */
  async recordFinished(name: string, durationMs: number): Promise<void> {
    await this.records.updateOne(
      { _id: name },
      [
        {
          $set: {
            finishedAt: { $ifNull: ['$finishedAt', '$$NOW'] },
            durationMs: { $ifNull: ['$durationMs', durationMs] },
          },
        },
      ],
      { upsert: true },
    );
  }

  /** @returns whether the lease is now held by `holder`, for `leaseMs` from now. */
  async takeLease(holder: mongo.ObjectId, leaseMs: number): Promise<boolean> {
    await this.insertLeaseOnce();
    return this.writeLease(
      { _id: 'lease', $expr: { $lte: ['$heldUntil', '$$NOW'] } },
      { heldBy: holder, heldUntil: { $add: ['$$NOW', leaseMs] } },
    );
  }

  /** Holds the lease for `leaseMs` from now. @returns false when another process holds it. */
  renewLease(holder: mongo.ObjectId, leaseMs: number): Promise<boolean> {
    return this.writeLease({ _id: 'lease', heldBy: holder }, { heldUntil: { $add: ['$$NOW', leaseMs] } });
  }

  async releaseLease(holder: mongo.ObjectId): Promise<void> {
    await this.writeLease({ _id: 'lease', heldBy: holder }, { heldUntil: '$$NOW' });
  }

  private async writeLease(filter: mongo.Filter<MigrationLease>, set: mongo.BSON.Document): Promise<boolean> {
    const { matchedCount } = await this.leases.updateOne(filter, [{ $set: set }]);
    return matchedCount === 1;
  }

  private async insertLeaseOnce(): Promise<void> {
    try {
      await this.leases.insertOne({ _id: 'lease', heldUntil: new Date(0) });
    } catch (failure) {
      if (!isDuplicateKey(failure)) throw failure;
    }
  }

  private get records(): mongo.Collection<MigrationRecord> {
    return this.db.collection('migrations');
  }

  private get leases(): mongo.Collection<MigrationLease> {
    return this.db.collection('migrationleases');
  }
}
