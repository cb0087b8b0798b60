import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { AccessChanges } from '../../infrastructure/redis/access-changes';
import { DeviceWriter } from './device-writer.service';
import { RegistrationsBusy, SerialTaken } from '../store/devices.errors';
import type { SimSync } from '../sims/sim-sync.service';
import type { DevicesRepository } from '../store/devices.repository';

const NOW = new Date('2026-01-31T12:00:00Z');

describe('DeviceWriter', () => {
  const account = { user: new Types.ObjectId() } as AccountScope;
  const id = new Types.ObjectId();

  /** A writer whose updates always violate a unique index. */
  function writerWith(repository: Partial<DevicesRepository>): DeviceWriter {
    const devices = {
      update: () => Promise.resolve('conflict'),
      find: () => Promise.resolve(null),
      releaseToken: () => Promise.resolve(true),
      isTokenHeldByOther: () => Promise.resolve(false),
      isSerialHeldByOther: () => Promise.resolve(false),
      ...repository,
    } as DevicesRepository;
    const accessChanges = { publish: () => Promise.resolve() } as unknown as AccessChanges;
    return new DeviceWriter(devices, accessChanges, {} as SimSync);
  }

  it('reports concurrent writes of the push token as temporary', async () => {
    const update = writerWith({}).update(account, id, { fcmToken: 'T', serial: 'S' }, 'T', NOW);
    await expect(update).rejects.toThrow(RegistrationsBusy);
  });

  it('reports a serial that another device has, whether or not a push token is written too', async () => {
    const isSerialHeldByOther = (_: AccountScope, serial: string) => Promise.resolve(serial === 'S');
    const writer = writerWith({ isSerialHeldByOther });
    await expect(writer.update(account, id, { serial: 'S' }, undefined, NOW)).rejects.toThrow(SerialTaken);
    await expect(writer.update(account, id, { fcmToken: 'T', serial: 'S' }, 'T', NOW)).rejects.toThrow(
      SerialTaken,
    );
  });
});
