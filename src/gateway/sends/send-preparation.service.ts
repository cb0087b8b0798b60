import { Injectable } from '@nestjs/common';
import { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { EmailNotVerified } from '../../auth/auth.errors';
import { Clock } from '../../common/clock';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { PoolNotFound } from '../senders/pool.errors';
import { DeviceSenders } from '../senders/device-senders.service';
import { PoolSenders } from '../senders/pool-senders.service';
import { ListRecipients } from './list-recipients.service';
import type { PreparedSend } from './acceptance/prepared-send';
import type { SendInput } from '../send-input/send-input';
import { type SkippedRecipients, skipUnreadable } from '../send-input/skip-unreadable';
import { validateSend, type ValidatedSend } from '../send-input/send-validation';
import { PoolsRepository } from '../../devices/sims/pools/pools.repository';

/** A send that may be accepted. */
export interface PreparedInput extends Omit<PreparedSend, 'idempotency'> {
  readonly skipped?: SkippedRecipients;
}

/** Checks a send against its account, and assigns it to a phone or to the SIMs of a pool. */
@Injectable()
export class SendPreparationService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly devices: DevicesRepository,
    private readonly deviceSenders: DeviceSenders,
    private readonly poolSenders: PoolSenders,
    private readonly pools: PoolsRepository,
    private readonly lists: ListRecipients,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the send, with the recipients of the lists that it names, and without those that it wants left out.
   * @throws ValidationFailed, EmailNotVerified, DeviceNotFound, DeviceDisabled, DeviceDraining, DeviceNotPushable,
   * PushTokenHeld, NoEnabledDevice, PoolNotFound, NoEnabledSim
   */
  async prepare(account: AccountScope, given: SendInput): Promise<PreparedInput> {
    const { input, skipped } = await skipUnreadable(await this.lists.resolve(account, given));
    const validated = await validateSend(input, this.clock.now());
    const [sendingAccount, named, namedPool] = await Promise.all([
      this.accounts.findSendingAccount(account),
      validated.deviceId && this.devices.find(account, validated.deviceId),
      validated.poolId && this.pools.find(account, validated.poolId),
    ]);
    if (sendingAccount?.email && !sendingAccount.emailVerifiedAt) throw new EmailNotVerified();
    if (namedPool === null) throw new PoolNotFound();
    const defaultPool = namedPool || namesPhone(validated) ? undefined : sendingAccount?.defaultPool;
    // A default pool that was deleted is none.
    const pool = namedPool ?? (defaultPool && (await this.pools.find(account, defaultPool)));
    const assigned = pool
      ? await this.poolSenders.assign(account, input, validated, pool, sendingAccount?.defaultCountry)
      : await this.deviceSenders.assign(account, input, validated, named, sendingAccount?.defaultDevice);
    const { plan: billingPlan, defaultCountry, consent } = sendingAccount ?? {};
    const checksConsent = consent?.enabled === true && !input.isConsentReply;
    return { input, skipped, ...assigned, billingPlan, defaultCountry, checksConsent };
  }
}

/** The id of a SIM names one of a phone. Older integrations send 0 for none. */
function namesPhone({ deviceId, entries }: ValidatedSend): boolean {
  return deviceId !== undefined || entries.some(({ simSubscriptionId }) => simSubscriptionId);
}
