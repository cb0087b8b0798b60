import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope, AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { Clock } from '../../common/clock';
import { byId, distinctIds, idsOf } from '../../common/documents';
import { groupBy, groupsOf } from '../../common/group-by';
import { sum } from '../../common/sum';
import { Device } from '../../devices/store/device.schema';
import { capabilitiesOf } from '../../devices/store/phone-capabilities';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import {
  CancellationRepository,
  type CancelTarget,
  type PhoneCancelTarget,
  WRITE_TIMEOUT_MS,
} from './cancellation.repository';
import { CancellationRunner } from './cancellation-runner.service';
import { MessageNotFound } from '../../messages/messages.errors';
import type { PushCommand } from '../../push/transport/push-transport';
import { PushClient } from '../../push/push-client.service';
import { pushTargetOf } from '../push-commands/push-target';

export interface CancellationResult {
  /** Messages that are cancelled. */
  readonly cancelledCount: number;
  /** Messages that the phone was asked not to send. */
  readonly requestedCount: number;
}

/** A message that a phone was handed. */
export interface HandedMessage {
  readonly _id: Types.ObjectId;
  readonly smsBatch: Types.ObjectId;
  readonly device: Types.ObjectId;
}

/** What a phone is asked not to send. */
export interface CancelRequest {
  readonly device: Device;
  readonly messages: readonly Types.ObjectId[];
}

/** Message ids in one cancel command: as many as the phone may confirm in one request. */
const MAX_CANCEL_REQUESTS = 1_000;

/** Messages that are cancelled together. */
const MESSAGES_PER_WRITE = 500;

/**
 * Cancels messages: immediately those that were not pushed, and pushed ones after the phone confirms that it will not send
 * them.
 */
@Injectable()
export class CancellationService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly messages: CancellationRepository,
    private readonly runner: CancellationRunner,
    private readonly pushClient: PushClient,
    private readonly turns: AccountTurns,
    private readonly clock: Clock,
  ) {}

  /**
   * Cancels the messages of a batch that are not sent yet, of all its phones. Idempotent.
   * @param deviceId one of its phones.
   * @throws DeviceNotFound, BatchNotFound, BatchChanging
   */
  async cancelBatch(
    account: AccountScope,
    deviceId: Types.ObjectId,
    id: Types.ObjectId,
  ): Promise<CancellationResult> {
    if (!(await this.devices.find(account, deviceId))) throw new DeviceNotFound();
    return this.cancel(account, { batch: id }, { named: deviceId });
  }

  /**
   * Cancels the messages of a batch that are not sent yet, whatever their phone. Idempotent.
   * @throws BatchNotFound, BatchChanging
   */
  cancelOnAllPhones(account: AccountScope, batch: Types.ObjectId): Promise<CancellationResult> {
    return this.cancel(account, { batch });
  }

  /**
   * Cancels a message if it is not sent yet. Idempotent.
   * @throws MessageNotFound, BatchNotFound, BatchChanging
   */
  async cancelMessage(account: AccountScope, id: Types.ObjectId): Promise<CancellationResult> {
    const message = await this.messages.findOutgoing(account, id);
    const device = message && (await this.devices.find(account, message.device));
    if (!message?.smsBatch || !device) throw new MessageNotFound();
    return this.cancel(account, { batch: message.smsBatch, messages: [id] }, { phones: [device._id] });
  }

  /**
   * Cancels messages that the phone confirms it will not send; ignores those it was not asked to cancel.
   * @returns how many were cancelled.
   * @throws DeviceNotFound, BatchNotFound, BatchChanging
   */
  async confirm(
    account: AccountScope,
    deviceId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<number> {
    if (!(await this.devices.find(account, deviceId))) throw new DeviceNotFound();
    const found = await this.messages.listConfirmable(account, deviceId, ids);
    let count = 0;
    for (const [batch, messages] of groupBy(found, ({ smsBatch }) => String(smsBatch))) {
      const target = { batch: new Types.ObjectId(batch), messages: idsOf(messages) };
      const now = this.clock.now();
      const cancelled = await this.runner.run(account, undefined, target, now, (cancellation) =>
        this.messages.cancelConfirmed(account, target, cancellation, now),
      );
      count += cancelled.count;
    }
    return count;
  }

  /**
   * Records that phones are asked not to send messages whose recipients are blocked. They fail as suppressed when the phone confirms it.
   * @returns what to push with `pushRequests`; without that, phones learn it when the messages are redelivered.
   */
  async recall(account: AccountScope, messages: readonly HandedMessage[]): Promise<CancelRequest[]> {
    if (messages.length === 0) return [];
    const phones = byId(
      await this.devices.findMany(account, distinctIds(messages.map(({ device }) => device))),
    );
    const requests: CancelRequest[] = [];
    for (const group of groupsOf(
      messages,
      ({ device, smsBatch }) => `${device.toHexString()} ${smsBatch.toHexString()}`,
    )) {
      const [{ smsBatch: batch, device: id }] = group;
      const device = phones.get(id.toHexString());
      if (!device || device.deletedAt) continue;
      requests.push(
        ...(await this.markRequested(device, { batch, device: id, messages: idsOf(group) }, true)),
      );
    }
    return requests;
  }

  /** Tells phones what they are asked not to send. Phones that cannot be told are not listed these messages again. */
  async pushRequests(requests: readonly CancelRequest[]): Promise<void> {
    for (const { device, messages } of requests) {
      if (!capabilitiesOf(device).cancels) continue;
      const smsIds = messages.map((id) => id.toHexString());
      const commands: PushCommand[] = [];
      for (let from = 0; from < smsIds.length; from += MAX_CANCEL_REQUESTS)
        commands.push({ kind: 'cancel', smsIds: smsIds.slice(from, from + MAX_CANCEL_REQUESTS) });
      if (commands.length > 0) await this.pushClient.push(pushTargetOf(device), commands);
    }
  }

  /**
   * @param options.named the phone that the caller named, which must carry a message of the batch.
   * @param options.phones those that may have the messages; by default all that carry the batch.
   */
  private async cancel(
    account: AccountScope,
    target: CancelTarget,
    options: { readonly named?: Types.ObjectId; readonly phones?: readonly Types.ObjectId[] } = {},
  ): Promise<CancellationResult> {
    const now = this.clock.now();
    const { batch } = await this.runner.run(account, options.named, target, now, (cancellation) =>
      this.cancelUnclaimed(account, target, cancellation, now),
    );
    const phones = options.phones ?? batch.devices ?? [batch.device];
    let requestedCount = 0;
    for (const phone of await this.devices.findMany(account, phones)) {
      if (phone.deletedAt) continue;
      const requests = await this.markRequested(phone, { ...target, device: phone._id });
      await this.pushRequests(requests);
      requestedCount += sum(requests, ({ messages }) => messages.length);
    }
    return { cancelledCount: await this.messages.countCancelled(account, target), requestedCount };
  }

  /** The last write covers the whole target: also what was claimed when the messages were listed, and is not any more. */
  private async cancelUnclaimed(
    account: AccountScope,
    target: CancelTarget,
    cancellation: Types.ObjectId,
    now: Date,
  ): Promise<number> {
    const until = performance.now() + WRITE_TIMEOUT_MS;
    const doPart = this.turns.parts(account);
    const cancel = (part: CancelTarget) => {
      const timeoutMs = Math.max(1, Math.floor(until - performance.now()));
      return this.messages.cancelUnclaimed(account, part, cancellation, now, timeoutMs);
    };
    const ids = target.messages ? [] : await this.messages.listUnclaimed(account, target);
    let count = 0;
    for (let from = 0; from + MESSAGES_PER_WRITE < ids.length; from += MESSAGES_PER_WRITE) {
      const messages = ids.slice(from, from + MESSAGES_PER_WRITE);
      count += await doPart(() => cancel({ ...target, messages }));
    }
    return count + (await cancel(target));
  }

  private async markRequested(
    device: Device,
    target: PhoneCancelTarget,
    isRecalled = false,
  ): Promise<CancelRequest[]> {
    const { cancels, fetches } = capabilitiesOf(device);
    if (!cancels && !fetches) return [];
    const account = accountScope(device.user);
    await this.messages.markCancelRequested(account, target, this.clock.now(), isRecalled);
    return [{ device, messages: await this.messages.listCancelRequested(account, target) }];
  }
}
