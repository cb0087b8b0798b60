import { createConnection } from 'mongoose';
import { Leases } from '../../src/infrastructure/mongo/leases.service';
import type { Migration } from '../../src/migrations/migration';
import { MigrationsRepository } from '../../src/migrations/migrations.repository';
import { MigrationsService } from '../../src/migrations/migrations.service';

/** Migrates half of the documents, prints a line and hangs until killed. Arguments: URI, database, lease in ms. */
async function main(): Promise<void> {
  const [uri = '', dbName = '', leaseMs = ''] = process.argv.slice(2);
  const connection = await createConnection(uri, { dbName }).asPromise();
  const migration: Migration = {
    name: '0001-mark',
    run: async ({ db }) => {
      await db.collection('things').updateOne({ mark: { $exists: false } }, { $set: { mark: 'first run' } });
      process.stdout.write('half-way\n');
      await new Promise(() => undefined);
    },
  };
  const migrations = new MigrationsService(new MigrationsRepository(connection), new Leases(connection));
  await migrations.run([migration], Number(leaseMs));
}

void main();
