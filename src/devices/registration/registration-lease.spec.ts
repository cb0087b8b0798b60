import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { RegistrationsBusy } from '../store/devices.errors';
import { RegistrationLease } from './registration-lease';

describe('RegistrationLease', () => {
  afterEach(() => jest.restoreAllMocks());

  it('gives up after 10 s, including the time of the database', async () => {
    let elapsedMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
    const acquireRegistrationLease = jest.fn(() => {
      elapsedMs += 2_000;
      return Promise.resolve(false);
    });
    const lease = new RegistrationLease({ acquireRegistrationLease } as unknown as AccountsRepository, {
      now: () => new Date(),
    });
    const account = { user: new Types.ObjectId() } as AccountScope;
    const task = jest.fn();
    await expect(lease.run(account, task)).rejects.toThrow(RegistrationsBusy);
    expect(acquireRegistrationLease).toHaveBeenCalledTimes(5);
    expect(task).not.toHaveBeenCalled();
  });
});
