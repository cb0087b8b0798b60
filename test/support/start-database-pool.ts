import { randomBytes } from 'node:crypto';
import { POOL_VARIABLE } from './database-pool';

export default function startDatabasePool(): void {
  process.env[POOL_VARIABLE] = `testpool_${randomBytes(4).toString('hex')}`;
}
