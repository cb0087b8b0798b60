import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import type { Pool } from '../../src/devices/sims/pools/pool.schema';
import type { TestClient } from './client';
import type { TestService } from './service';

/** Stores a pool of these SIMs. @returns its id. */
export async function newPool(
  service: TestService,
  client: TestClient,
  sims: readonly string[],
  fields: Partial<Pool> = {},
): Promise<string> {
  const now = service.clock.now();
  const _id = new Types.ObjectId();
  await service.collection('pools').insertOne({
    _id,
    user: client.user,
    name: randomUUID(),
    sims: sims.map((sim) => new Types.ObjectId(sim)),
    strategy: 'sticky',
    createdAt: now,
    updatedAt: now,
    ...fields,
  });
  return _id.toHexString();
}
