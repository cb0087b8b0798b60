import { Types } from 'mongoose';
import { WaveDispatcher } from '../../src/gateway/dispatch/wave-dispatcher.service';
import type { TestService } from './service';

/** Dispatches a wave of a stored batch, as a job does. @param batch its id. */
export async function dispatchWave(service: TestService, batch: unknown, wave = 0): Promise<void> {
  const id = new Types.ObjectId(String(batch));
  const find = (collection: string, condition: object) =>
    service.collection(collection).findOne<{ user: Types.ObjectId }>(condition);
  const owned = (await find('batches', { _id: id })) ?? (await find('messages', { smsBatch: id }));
  if (!owned) throw new Error(`There is no batch ${id.toHexString()}`);
  await service.get(WaveDispatcher).dispatchWave({ user: owned.user, batch: id, wave });
}
