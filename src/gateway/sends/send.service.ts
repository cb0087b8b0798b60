import { Injectable } from '@nestjs/common';
import { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { EmailNotVerified } from '../../auth/auth.errors';
import { Clock } from '../../common/clock';
import { ValidationFailed } from '../../common/errors';
import { TaskBatcher } from '../../common/batcher';
import { Device } from '../../devices/device.schema';
import { DevicesRepository } from '../../devices/devices.repository';
import { Batch } from '../../messages/batch.schema';
import { PushService } from '../../push/push.service';
import { AcceptanceService, type PreparedSend } from './acceptance.service';
import { DispatchQueue, DueWave } from '../dispatch/dispatch.queue';
import { idempotentRequest, IdempotencyService } from './idempotency.service';
import { entryField, SendInput, validateSend, SendEntry, ValidatedSend } from './send-validation';
import { pushTargetOf, SendingDeviceService } from './sending-device.service';
import { longestSmsCommand } from '../dispatch/sms-command';
import { waveDueAt } from '../dispatch/wave-plan';

export interface SendResult {
  readonly batch: Batch;
  /** Whether an earlier request with the same idempotency key created the batch. */
  readonly replayed: boolean;
}

/** Sends of one text to at most this many recipients are batched with concurrent ones. */
const MAX_SMALL_SEND_RECIPIENTS = 20;

interface SmallSend {
  readonly account: AccountScope;
  readonly send: PreparedSend;
}

/** Accepts sends. A send is stored durably before it is answered. */
@Injectable()
export class SendService {
  // Only the writes are batched, so that the reads of the next sends run during the writes of these.
  private readonly smallSends = new TaskBatcher(({ account, send }: SmallSend) =>
    this.acceptance.accept(account, send),
  );

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly devices: DevicesRepository,
    private readonly sendingDevice: SendingDeviceService,
    private readonly acceptance: AcceptanceService,
    private readonly idempotency: IdempotencyService,
    private readonly push: PushService,
    private readonly queue: DispatchQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Accepts a send. A request repeated with the same idempotency key is sent once and gets the same answer.
   * @throws ValidationFailed, IdempotencyKeyReused, EmailNotVerified, DeviceNotFound, DeviceDisabled,
   * DeviceNotPushable, NoEnabledDevice, PlanLimitReached, SendAbandoned
   */
  async send(account: AccountScope, input: SendInput, idempotencyKey?: string): Promise<SendResult> {
    const idempotency = idempotencyKey === undefined ? undefined : idempotentRequest(idempotencyKey, input);
    for (;;) {
      // Checked first: a replay must not depend on the current time, device or plan.
      const original = idempotency && (await this.idempotency.findOriginalBatch(account, idempotency));
      if (original) return { batch: original, replayed: true };
      const send = { ...(await this.prepare(account, input)), idempotency };
      const batch = await (isSmall(send.request)
        ? this.smallSends.run({ account, send })
        : this.acceptance.accept(account, send));
      if (!batch) continue; // another request took the idempotency key first
      await this.queue.enqueueNew(initialWaves(batch));
      return { batch, replayed: false };
    }
  }

  private async prepare(account: AccountScope, input: SendInput) {
    const validated = validateSend(input, this.clock.now());
    const [sender, named] = await Promise.all([
      this.accounts.findSendingAccount(account),
      validated.deviceId && this.devices.find(account, validated.deviceId),
    ]);
    if (sender?.email && !sender.emailVerifiedAt) throw new EmailNotVerified();
    const device =
      named === undefined
        ? await this.sendingDevice.selectDevice(account, sender?.defaultDevice)
        : this.sendingDevice.assertCanSend(named);
    const request = resolveSims(input, validated, device);
    assertEncryptionSupported(input, request, device);
    this.assertPushSizes(input, request, device);
    return { request, device, plan: sender?.plan };
  }

  private assertPushSizes(input: SendInput, request: ValidatedSend, device: Device): void {
    const target = pushTargetOf(device);
    const errors = request.entries.flatMap((entry, number) => {
      if (this.push.fits(target, longestSmsCommand(entry))) return [];
      const field = entryField(
        input,
        number,
        entry.encryptedMessage === undefined ? 'message' : 'encryptedMessage',
      );
      return [
        { field, message: `${field} is too long for the push service of the device; shorten or split it` },
      ];
    });
    if (errors.length > 0) throw new ValidationFailed(errors);
  }
}

function isSmall({ entries }: ValidatedSend): boolean {
  const [only, ...others] = entries;
  return others.length === 0 && only !== undefined && only.recipients.length <= MAX_SMALL_SEND_RECIPIENTS;
}

function assertEncryptionSupported(input: SendInput, request: ValidatedSend, device: Device): void {
  if (device.supportsEncryption) return;
  const errors = request.entries.flatMap(({ encryptedMessage }, number) => {
    if (encryptedMessage === undefined) return [];
    const field = entryField(input, number, 'encrypted');
    return [{ field, message: `${field} requires a device that registered with supportsEncryption: true` }];
  });
  if (errors.length > 0) throw new ValidationFailed(errors);
}

/**
 * Checks the selected SIMs against those of the device. Older integrations send 0 for no selection.
 * @throws ValidationFailed with an error for each unknown SIM.
 */
function resolveSims(input: SendInput, request: ValidatedSend, device: Device): ValidatedSend {
  const known = new Set(device.simInfo?.sims.map(({ subscriptionId }) => subscriptionId));
  const isNone = ({ simSubscriptionId }: SendEntry) => simSubscriptionId === 0 && !known.has(0);
  const errors = request.entries.flatMap((entry, number) => {
    const { simSubscriptionId: sim } = entry;
    if (sim === undefined || isNone(entry) || known.size === 0 || known.has(sim)) return [];
    const field = entryField(input, number, 'simSubscriptionId');
    const message = `${field} ${sim} is not a SIM of the device; it has ${[...known].join(', ')}`;
    return [{ field, message }];
  });
  if (errors.length > 0) throw new ValidationFailed(errors);
  const entries = request.entries.map((entry) =>
    isNone(entry) ? { ...entry, simSubscriptionId: undefined } : entry,
  );
  return { ...request, entries };
}

/** The waves to enqueue; an unplanned group needs only its first wave, whose job plans the group. */
function initialWaves(batch: Batch): DueWave[] {
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
