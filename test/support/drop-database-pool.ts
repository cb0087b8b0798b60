import { dropPool } from './database-pool';

/** Tests that need no database run without one. */
export default async function dropDatabasePool(): Promise<void> {
  if (process.env.MONGODB_URI && process.env.REDIS_URL) await dropPool();
}
