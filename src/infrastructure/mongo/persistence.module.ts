import { Module, OnModuleInit } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { DatabaseConfig } from '../../config/sections/database.config';
import { patchMongodbDriver } from '../patches/mongodb-driver';
import { Indexes } from './indexes.service';
import { Leases } from './leases.service';
import { MAJORITY_TIMEOUT_MS } from './majority';
import { Sharding } from './sharding.service';

patchMongodbDriver();

/** The connection to MongoDB. Creates all indexes at start. */
@Module({
  imports: [
    MongooseModule.forRootAsync({
      inject: [DatabaseConfig],
      useFactory: (config: DatabaseConfig) => ({
        uri: config.uri,
        dbName: config.name,
        // Override what the URI says: what is answered with 200 survives the loss of the primary.
        w: 'majority',
        wtimeoutMS: MAJORITY_TIMEOUT_MS,
        retryAttempts: 0,
        // Shorter than the timeouts of clients, so that they receive the 503.
        serverSelectionTimeoutMS: 5_000,
        bufferCommands: false,
        autoIndex: false,
        autoCreate: false,
      }),
    }),
  ],
  providers: [Indexes, Leases, Sharding],
  exports: [Leases, Sharding],
})
export class PersistenceModule implements OnModuleInit {
  constructor(
    private readonly indexes: Indexes,
    private readonly sharding: Sharding,
  ) {}

  /** Before anything else runs: unique indexes prevent duplicate devices. @throws OperatorError */
  async onModuleInit(): Promise<void> {
    await this.sharding.check();
    await this.indexes.create();
  }
}
