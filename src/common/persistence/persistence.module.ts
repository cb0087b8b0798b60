import { Inject, Module, OnModuleInit } from '@nestjs/common';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import { Connection } from 'mongoose';
import { DatabaseConfig } from '../../config/database.config';
import { repairDriver } from './driver-repair';

repairDriver();

/** The connection to MongoDB, and every index before anything else starts. */
@Module({
  imports: [
    MongooseModule.forRootAsync({
      inject: [DatabaseConfig],
      useFactory: (config: DatabaseConfig) => ({
        uri: config.uri,
        dbName: config.name,
        retryAttempts: 0,
        // A request must fail while it is still wanted, not wait for a database that is gone.
        serverSelectionTimeoutMS: 5_000,
        bufferCommands: false,
        autoIndex: false,
        autoCreate: false,
      }),
    }),
  ],
})
export class PersistenceModule implements OnModuleInit {
  constructor(@Inject(getConnectionToken()) private readonly connection: Connection) {}

  /** Unique indexes carry promises (one device a serial, one message an upload): nothing runs before them. */
  async onModuleInit(): Promise<void> {
    for (const model of Object.values(this.connection.models)) await model.createIndexes();
  }
}
