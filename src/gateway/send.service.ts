import { Injectable } from '@nestjs/common';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts.repository';
import { EmailNotVerified } from '../auth/auth.errors';
import { Clock } from '../common/clock';
import { ValidationFailed } from '../common/errors';
import { InStep } from '../common/gathering';
import { Device } from '../devices/device.schema';
import { DevicesRepository } from '../devices/devices.repository';
import { Batch } from '../messages/batch.schema';
import { PushService } from '../push/push.service';
import { AcceptanceService, type ReadySend } from './acceptance.service';
import { DispatchQueue, DueWave } from './dispatch.queue';
import { idempotentRequest, IdempotentRequests } from './idempotent-requests.service';
import { entryField, RawOrder, readSendOrder, SendEntry, SendOrder } from './send-order';
import { pushTargetOf, SendingDeviceService } from './sending-device.service';
import { longestSmsCommand } from './sms-command';
import { waveDueAt } from './wave-plan';

/** What a send has led to. */
export interface Sent {
  readonly batch: Batch;
  /** Whether an earlier request under the same idempotency key has led to it. */
  readonly replayed: boolean;
}

/** A send of one text to so few recipients is stored together with those that arrive at the same time. */
const FEW = 20;

interface Asked {
  readonly account: AccountScope;
  readonly send: ReadySend;
}

/** Accepts sends: once this returns, what it promises is in the database. */
@Injectable()
export class SendService {
  // In step, so that each of their writes is one for all of them. What is read for them before that is not: it is read
  // for the next ones while these are written.
  private readonly small = new InStep(({ account, send }: Asked) => this.acceptance.accept(account, send));

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly devices: DevicesRepository,
    private readonly sendingDevice: SendingDeviceService,
    private readonly acceptance: AcceptanceService,
    private readonly earlier: IdempotentRequests,
    private readonly push: PushService,
    private readonly queue: DispatchQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Accepts a send. Repeated under the same idempotency key it is sent once, and answered the same.
   * @throws ValidationFailed, IdempotencyKeyReused, EmailNotVerified, DeviceNotFound, DeviceDisabled,
   * DeviceNotPushable, NoDevice, PlanLimitReached, SendAbandoned
   */
  async send(account: AccountScope, request: RawOrder, idempotencyKey?: string): Promise<Sent> {
    const idempotency = idempotencyKey === undefined ? undefined : idempotentRequest(idempotencyKey, request);
    for (;;) {
      // Before anything that depends on the time, the device or the plan: the answer must not change with them.
      const earlier = idempotency && (await this.earlier.findEarlier(account, idempotency));
      if (earlier) return { batch: earlier, replayed: true };
      const send = { ...(await this.prepare(account, request)), idempotency };
      const batch = await (isSmall(send.order)
        ? this.small.ask({ account, send })
        : this.acceptance.accept(account, send));
      if (!batch) continue; // another request took the idempotency key first
      await this.queue.wakeFirst(firstWakeUps(batch));
      return { batch, replayed: false };
    }
  }

  /** Finds out whether and from where it can be sent. */
  private async prepare(account: AccountScope, request: RawOrder) {
    const written = readSendOrder(request, this.clock.now());
    const [sender, named] = await Promise.all([
      this.accounts.findSender(account),
      written.deviceId && this.devices.find(account, written.deviceId),
    ]);
    if (sender?.email && !sender.emailVerifiedAt) throw new EmailNotVerified();
    const device =
      named === undefined
        ? await this.sendingDevice.choose(account, sender?.defaultDevice)
        : this.sendingDevice.admit(named);
    const order = withKnownSims(request, written, device);
    checkEncryption(request, order, device);
    this.checkSizes(request, order, device);
    return { order, device, plan: sender?.plan };
  }

  /** Each text is a push of its own, and push services carry only so much. */
  private checkSizes(request: RawOrder, order: SendOrder, device: Device): void {
    const target = pushTargetOf(device);
    const faults = order.entries.flatMap((entry, number) => {
      if (this.push.fits(target, longestSmsCommand(entry))) return [];
      const field = entryField(
        request,
        number,
        entry.encryptedMessage === undefined ? 'message' : 'encryptedMessage',
      );
      return [
        { field, message: `${field} is too long for the push service of the device; shorten or split it` },
      ];
    });
    if (faults.length > 0) throw new ValidationFailed(faults);
  }
}

function isSmall({ entries }: SendOrder): boolean {
  const [only, ...others] = entries;
  return others.length === 0 && only !== undefined && only.recipients.length <= FEW;
}

/** @throws ValidationFailed naming each encrypted entry, where the phone could not decrypt it. */
function checkEncryption(request: RawOrder, order: SendOrder, device: Device): void {
  if (device.supportsEncryption) return;
  const faults = order.entries.flatMap(({ encryptedMessage }, number) => {
    if (encryptedMessage === undefined) return [];
    const field = entryField(request, number, 'encrypted');
    return [{ field, message: `${field} needs a device that registered supportsEncryption: true` }];
  });
  if (faults.length > 0) throw new ValidationFailed(faults);
}

/**
 * Holds the chosen SIMs against those the phone lists. 0 is what older tools write where none is chosen.
 * @throws ValidationFailed naming each entry with another SIM.
 */
function withKnownSims(request: RawOrder, order: SendOrder, device: Device): SendOrder {
  const known = new Set(device.simInfo?.sims.map(({ subscriptionId }) => subscriptionId));
  const isNone = ({ simSubscriptionId }: SendEntry) => simSubscriptionId === 0 && !known.has(0);
  const faults = order.entries.flatMap((entry, number) => {
    const { simSubscriptionId: sim } = entry;
    if (sim === undefined || isNone(entry) || known.size === 0 || known.has(sim)) return [];
    const field = entryField(request, number, 'simSubscriptionId');
    const message = `${field} ${sim} is not a SIM of the device; it has ${[...known].join(', ')}`;
    return [{ field, message }];
  });
  if (faults.length > 0) throw new ValidationFailed(faults);
  const entries = order.entries.map((entry) =>
    isNone(entry) ? { ...entry, simSubscriptionId: undefined } : entry,
  );
  return { ...order, entries };
}

/** A wake-up for each wave at its time; a group that is yet to be planned needs only the one that plans it. */
function firstWakeUps(batch: Batch): DueWave[] {
  return batch.groups.flatMap((group) => {
    const { startAt, gapMs, scheduledAt, firstWave } = group;
    if (startAt && gapMs !== undefined) {
      return Array.from({ length: group.waves }, (_, wave) => ({
        batch: batch._id,
        wave: firstWave + wave,
        dueAt: waveDueAt(startAt, gapMs, wave),
      }));
    }
    return [{ batch: batch._id, wave: firstWave, ...(scheduledAt && { dueAt: scheduledAt }) }];
  });
}
