import { Injectable } from '@nestjs/common';
import { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { EmailNotVerified } from '../../auth/auth.errors';
import { Clock } from '../../common/clock';
import { DevicesRepository } from '../../devices/devices.repository';
import { PoolNotFound } from '../senders/pool.errors';
import { DeviceSenders } from '../senders/device-senders.service';
import { PoolSenders } from '../senders/pool-senders.service';
import { SuppressedRecipients } from './suppressed-recipients.service';
import type { PreparedSend } from './acceptance/acceptance.service';
import type { SendInput } from '../send-input/send-input';
import { validateSend, type ValidatedSend } from '../send-input/send-validation';
import { PoolsRepository } from '../../devices/sims/pools/pools.repository';

/** Checks a send against its account, and assigns it to a phone or to the SIMs of a pool. */
@Injectable()
export class SendPreparationService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly devices: DevicesRepository,
    private readonly deviceSenders: DeviceSenders,
    private readonly poolSenders: PoolSenders,
    private readonly pools: PoolsRepository,
    private readonly suppressedRecipients: SuppressedRecipients,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ValidationFailed, EmailNotVerified, DeviceNotFound, DeviceDisabled, DeviceDraining, DeviceNotPushable,
   * PushTokenHeld, NoEnabledDevice, PoolNotFound, NoEnabledSim, RecipientSuppressed
   */
  async prepare(account: AccountScope, input: SendInput): Promise<Omit<PreparedSend, 'idempotency'>> {
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
    const prepared = { ...assigned, billingPlan, defaultCountry, checksConsent };
    if (checksConsent) await this.suppressedRecipients.assertAnyAllowed(account, input, prepared);
    return prepared;
  }
}

/** The id of a SIM names one of a phone. Older integrations send 0 for none. */
function namesPhone({ deviceId, entries }: ValidatedSend): boolean {
  return deviceId !== undefined || entries.some(({ simSubscriptionId }) => simSubscriptionId);
}
