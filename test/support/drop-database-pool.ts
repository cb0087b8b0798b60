import { dropPool } from './database-pool';

/** Unit tests run without a database. */
export default async function dropDatabasePool(): Promise<void> {
  if (process.env.MONGODB_URI && process.env.REDIS_URL) await dropPool();
}
