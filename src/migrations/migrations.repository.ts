import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { Connection, mongo } from 'mongoose';
import { upsertWithRetry } from '../infrastructure/mongo/duplicate-key';

export interface MigrationRecord {
  /** The migration's name. */
  readonly _id: string;
  readonly finishedAt: Date;
  /** The duration of the last run, without interrupted runs before it. */
  readonly durationMs: number;
}

interface MigrationLease {
  readonly _id: 'lease';
  readonly heldBy?: mongo.ObjectId;
  readonly heldUntil: Date;
}

/** The finished migrations, and the lease of the process that runs them. All times are the database's ($$NOW). */
@Injectable()
export class MigrationsRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  get db(): mongo.Db {
    return this.connection.getClient().db(this.connection.name);
  }

  listFinished(): Promise<MigrationRecord[]> {
    return this.records.find({}).sort({ _id: 1 }).toArray();
  }

  async isFinished(name: string): Promise<boolean> {
    return (await this.records.findOne({ _id: name })) !== null;
  }

  /** Records a migration as finished; an existing record stays unchanged. */
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

  /** @returns whether `holder` now has the lease. */
  async acquireLease(holder: mongo.ObjectId, leaseMs: number): Promise<boolean> {
    const unheld = { $setOnInsert: { heldUntil: new Date(0) } };
    await upsertWithRetry(() => this.leases.updateOne({ _id: 'lease' }, unheld, { upsert: true }));
    return this.writeLease(
      { _id: 'lease', $expr: { $lte: ['$heldUntil', '$$NOW'] } },
      { heldBy: holder, heldUntil: { $add: ['$$NOW', leaseMs] } },
    );
  }

  /** Extends the lease to `leaseMs` from now. @returns false when another process has it. */
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

  private get records(): mongo.Collection<MigrationRecord> {
    return this.db.collection('migrations');
  }

  private get leases(): mongo.Collection<MigrationLease> {
    return this.db.collection('migrationleases');
  }
}
