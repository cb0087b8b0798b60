import { randomBytes } from 'node:crypto';
import { Types } from 'mongoose';
import { periodOf } from '../src/billing/usage/usage-period';
import { accountOf, batchOf, deliveredMessage, deviceAt, deviceOf, keyOf, type Owner } from './documents';
import type { Records } from './records';

/** An account with devices and an API key. */
export interface Tenant extends Owner {
  readonly apiKey: string;
}

const BATCH_SIZE = 1_000;
const HOUR_MS = 3_600_000;

export async function createTenant(records: Records, name: string, devices: number): Promise<Tenant> {
  const user = new Types.ObjectId();
  const ids = Array.from({ length: devices }, () => new Types.ObjectId());
  const apiKey = `mgw_${randomBytes(24).toString('hex')}`;
  await records.apiKeys.insertOne(keyOf(user, apiKey));
  await records.accounts.insertOne(accountOf(user, `${name}-${user.toHexString()}`, ids[0]));
  await records.devices.insertMany(ids.map((id) => deviceOf(user, id)));
  return { user, devices: ids, apiKey };
}

/** Stores delivered messages with their totals, in batches of a thousand, ten minutes apart until an hour ago. */
export async function storeDeliveredMessages(records: Records, tenant: Tenant, count: number): Promise<void> {
  const { user } = tenant;
  // The same for the account and its devices, which never are ahead of it.
  const through = new Date(Date.now() - HOUR_MS);
  for (let first = 0; first < count; first += BATCH_SIZE) {
    const size = Math.min(BATCH_SIZE, count - first);
    const device = deviceAt(tenant, first / BATCH_SIZE);
    const age = HOUR_MS + ((count - first) / BATCH_SIZE) * (HOUR_MS / 6);
    const batch = batchOf(tenant, device, size, new Date(Date.now() - age));
    await records.batches.insertOne(batch);
    await records.fillMessages(size, (number) => deliveredMessage(batch, number));
    for (const _id of [user, device])
      await records.totals.updateOne(
        { _id },
        {
          $set: { user },
          $max: { through },
          $inc: { sent: size, received: 0 },
        },
        { upsert: true },
      );
  }
  await records.usages.updateOne(
    { _id: user },
    {
      $set: periodOf(new Date()),
      $inc: { dayCount: count, monthCount: count },
      $setOnInsert: { reserved: [], returned: [] },
    },
    { upsert: true },
  );
}

/** Removes the messages, batches and deliveries of a row, so that they do not affect the next one. */
export async function removeCreatedSince(records: Records, { user }: Tenant, since: Date): Promise<void> {
  const added = { user, createdAt: { $gte: since } };
  await records.messages.deleteMany(added);
  await records.batches.deleteMany(added);
  await records.deliveries.deleteMany(added);
}
