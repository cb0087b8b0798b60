import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { Connection, mongo } from 'mongoose';
import { upsertWithRetry } from '../infrastructure/mongo/duplicate-key';

/** The mark of a database that was created by a version with migrations; itself no migration. */
const BASELINE = '0000-baseline';

export interface MigrationRecord {
  /** The migration's name. */
  readonly _id: string;
  readonly finishedAt: Date;
  /** The duration of the last run, without interrupted runs before it. */
  readonly durationMs: number;
}

/** The finished migrations, and the mark of the baseline. All times are the database's ($$NOW). */
@Injectable()
export class MigrationsRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  get db(): mongo.Db {
    return this.connection.getClient().db(this.connection.name);
  }

  async hasAccounts(): Promise<boolean> {
    return (await this.db.collection('accounts').findOne({}, { projection: { _id: 1 } })) !== null;
  }

  async hasBaseline(): Promise<boolean> {
    return (await this.records.findOne({ _id: BASELINE })) !== null;
  }

  /** Concurrent calls write the same mark. */
  async markBaseline(): Promise<void> {
    await upsertWithRetry(() =>
      this.records.updateOne({ _id: BASELINE }, { $currentDate: { createdAt: true } }, { upsert: true }),
    );
  }

  listFinished(): Promise<MigrationRecord[]> {
    return this.records
      .find({ _id: { $ne: BASELINE } })
      .sort({ _id: 1 })
      .toArray();
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

  private get records(): mongo.Collection<MigrationRecord> {
    return this.db.collection('migrations');
  }
}
