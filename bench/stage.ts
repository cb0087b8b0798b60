import { Types } from 'mongoose';
import { accountOf, deviceOf, newKey, type Owner } from './documents';
import type { HttpClient } from './http-client';
import type { ProcessControl } from './process-control';
import type { Receiver } from './receiver';
import type { Records } from './records';

/** An account with its devices and a key. */
export interface Tenant extends Owner {
  readonly apiKey: string;
}

/** What the rows work on: the running service, its database seen past it, and a receiver of webhooks. */
export interface Stage {
  readonly http: HttpClient;
  readonly records: Records;
  readonly control: ProcessControl;
  readonly receiver: Receiver;
  /** Messages stored for the list. */
  readonly stored: number;
}

/** Makes an account of a row's own, so that rows do not add to each other's records. */
export async function makeTenant({ records }: Stage, name: string, devices: number): Promise<Tenant> {
  const user = new Types.ObjectId();
  const ids = Array.from({ length: devices }, () => new Types.ObjectId());
  const { key, stored } = newKey(user);
  await records.apiKeys.insertOne(stored);
  await records.accounts.insertOne(accountOf(user, `${name}-${user.toHexString()}`, ids[0]));
  await records.devices.insertMany(ids.map((id) => deviceOf(user, id)));
  return { user, devices: ids, apiKey: key };
}

export function deviceAt({ devices }: Owner, number: number): Types.ObjectId {
  const device = devices[number % devices.length];
  if (!device) throw new Error('There is no device');
  return device;
}
