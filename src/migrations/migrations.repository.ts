import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { Connection, mongo } from 'mongoose';

export interface MigrationRecord {
  /** The migration's name. */
  readonly _id: string;
  readonly finishedAt: Date;
  /** The duration of the last run, without interrupted runs before it. */
  readonly durationMs: number;
}

/** The finished migrations. All times are the database's ($$NOW). */
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

  private get records(): mongo.Collection<MigrationRecord> {
    return this.db.collection('migrations');
  }
}
