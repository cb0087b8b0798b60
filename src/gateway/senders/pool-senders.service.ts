import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { ValidationFailed } from '../../common/errors';
import { groupsOf } from '../../common/group-by';
import type { Pool } from '../../devices/sims/pools/pool.schema';
import { PushClient } from '../../push/push-client.service';
import type { SendInput } from '../send-input/send-input';
import type { PoolView } from './pool-view';
import { PoolViews } from './pool-views.service';
import {
  checkEntries,
  recipientField,
  type SendEntry,
  type ValidatedSend,
} from '../send-input/send-validation';
import { NoEnabledSim } from '../send-input/send.errors';
import { assignToPool, type UnservedRecipient } from './assignment';
import { type AssignedSend, assertUnencrypted } from './device-senders.service';
import { assertPushSizes, type PossibleTarget } from './push-sizes';

/** Checks a send against a pool, and binds its messages to the SIMs of it. */
@Injectable()
export class PoolSenders {
  constructor(
    private readonly views: PoolViews,
    private readonly pushClient: PushClient,
  ) {}

  /**
   * @param defaultCountry of the account: where numbers without a + are dialled.
   * @throws ValidationFailed, NoEnabledSim
   */
  async assign(
    account: AccountScope,
    input: SendInput,
    validated: ValidatedSend,
    pool: Pool,
    defaultCountry: string | undefined,
  ): Promise<AssignedSend> {
    const entries = await withoutSims(input, validated.entries);
    const recipients = entries.flatMap((entry) => entry.recipients);
    const { view, peerNumberOf } = await this.views.openFor(account, pool, recipients, defaultCountry);
    const usable = view.members.filter(
      ({ sim, device }) => sim.enabled && device?.enabled && !device.drainingSince,
    );
    if (usable.length === 0) throw new NoEnabledSim();
    const withoutEncryption = usable.flatMap(({ device }) =>
      !device || device.supportsEncryption ? [] : [device._id],
    );
    if (withoutEncryption.length === usable.length)
      await assertUnencrypted(input, entries, 'phone in the pool');
    await assertPushSizes(this.pushClient, input, entries, targetsOf(usable));
    const assigned = await assignToPool(view, {
      entries,
      isSingleUrgent: validated.priority === 'urgent' && isSingle(entries),
      withoutEncryption,
      peerNumberOf,
    });
    if (!('senders' in assigned)) throw new ValidationFailed(assigned.map(unservedError(input, entries)));
    return { request: { ...validated, entries }, assignment: assigned };
  }
}

const isSingle = (entries: readonly SendEntry[]) =>
  entries.length === 1 && entries[0]?.recipients.length === 1;

/** @throws ValidationFailed for each entry that names a SIM of a phone. Older integrations send 0 for none. */
async function withoutSims(input: SendInput, entries: readonly SendEntry[]): Promise<SendEntry[]> {
  await checkEntries(input, entries, ({ simSubscriptionId }, report) => {
    if (simSubscriptionId) report('simSubscriptionId', 'must be omitted: the pool chooses the SIM');
  });
  return entries.map((entry) => ({ ...entry, simSubscriptionId: undefined }));
}

/** Messages may move to any phone of the pool. Whether one fits depends on the transport and the longest subscription id. */
function targetsOf(members: PoolView['members']): PossibleTarget[] {
  const ids = members.flatMap(({ sim }) => sim.subscriptionId ?? []);
  const longest = ids.length > 0 ? { simSubscriptionId: Math.max(...ids) } : {};
  const devices = members.flatMap(({ device }) => device ?? []);
  return groupsOf(devices, ({ pushTransport }) => pushTransport).map(([device]) => ({ device, ...longest }));
}

const unservedError =
  (input: SendInput, entries: readonly SendEntry[]) =>
  ({ entry, recipient }: UnservedRecipient) => {
    const field = recipientField(input, entry, recipient);
    const number = JSON.stringify(entries[entry]?.recipients[recipient]);
    return { field, message: `${field} ${number} cannot be sent to: no enabled SIM of the pool may` };
  };
