import { Module, OnModuleInit } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { DatabaseConfig } from '../../config/sections/database.config';
import { patchMongodbDriver } from '../patches/mongodb-driver';
import { Indexes } from './indexes.service';
import { Leases } from './leases.service';

patchMongodbDriver();

/** The connection to MongoDB. Creates all indexes at start. */
@Module({
  imports: [
    MongooseModule.forRootAsync({
      inject: [DatabaseConfig],
      useFactory: (config: DatabaseConfig) => ({
        uri: config.uri,
        dbName: config.name,
        retryAttempts: 0,
        // Shorter than the timeouts of clients, so that they receive the 503.
        serverSelectionTimeoutMS: 5_000,
        bufferCommands: false,
        autoIndex: false,
        autoCreate: false,
      }),
    }),
  ],
  providers: [Indexes, Leases],
  exports: [Leases],
})
export class PersistenceModule implements OnModuleInit {
  constructor(private readonly indexes: Indexes) {}

  /** Before anything else runs: unique indexes prevent duplicate devices and messages. */
  onModuleInit(): Promise<void> {
    return this.indexes.create();
  }
}
