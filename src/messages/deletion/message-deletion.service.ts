import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { Clock } from '../../common/clock';
import { distinctIds, idsOf } from '../../common/documents';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { DevicesService } from '../../devices/devices.service';
import { ConversationProjector } from '../conversations/conversation-projector.service';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { MessageNotFound } from '../messages.errors';
import { MAX_PREVIEW_RECIPIENTS, recipientPreview } from '../recipient-preview';
import { MessageDeletionRepository } from './message-deletion.repository';
import { DeviceHasUnsettledMessages, MessageUnsettled } from './message-deletion.errors';

const MESSAGES_AT_ONCE = 500;

/** Deletes messages for their owner: content and events are removed at once, the record by retention. Totals stay. */
@Injectable()
export class MessageDeletionService {
  constructor(
    private readonly repository: MessageDeletionRepository,
    private readonly devices: DevicesService,
    private readonly deviceRecords: DevicesRepository,
    private readonly conversations: ConversationProjector,
    private readonly hints: LiveHints,
    private readonly turns: AccountTurns,
    private readonly clock: Clock,
  ) {}

  /** Idempotent. @throws MessageNotFound, MessageUnsettled */
  async delete(account: AccountScope, id: Types.ObjectId): Promise<void> {
    const now = this.clock.now();
    // Empty if it is deleted.
    const number = (await this.repository.find(account, id))?.peerNumber;
    if (number) await this.conversations.expectDeletion(account, [number]);
    if ((await this.repository.erase(account, id, now)) && number)
      await this.conversations.refresh(account, number);
    const message = await this.repository.find(account, id);
    if (!message) throw new MessageNotFound();
    if (!message.deletedAt) throw new MessageUnsettled(message.status ?? 'pending');
    this.hints.publish(account, 'message', [id]);
    if (message.smsBatch) await this.removeFromBatch(account, message.smsBatch, now);
  }

  /** Whether a message to a number waits, or its phone has not reported on it. @param number in comparable form. */
  hasUnsettledWith(account: AccountScope, number: string): Promise<boolean> {
    return this.repository.hasUnsettledWith(account, number);
  }

  /** Deletes the settled messages with a number, and with them its conversation. Repeatable. @param number in comparable form. */
  async deleteWith(account: AccountScope, number: string): Promise<void> {
    await this.conversations.expectDeletion(account, [number]);
    const doPart = this.turns.parts(account);
    for (;;) {
      const found = await this.repository.listWith(account, number, MESSAGES_AT_ONCE);
      const now = this.clock.now();
      // First, because a deleted message no longer has the number by which it would be found again.
      for (const batch of distinctIds(found.flatMap(({ smsBatch }) => smsBatch ?? [])))
        await doPart(() => this.removeFromBatch(account, batch, now, number));
      if (found.length > 0) await doPart(() => this.repository.eraseMany(account, idsOf(found), now));
      if (found.length < MESSAGES_AT_ONCE) break;
    }
    await this.conversations.refresh(account, number);
    this.hints.publish(account, 'message');
    this.hints.publish(account, 'conversation');
  }

  /**
   * Deletes a device with all its messages.
   * @throws DeviceNotFound, DeviceHasUnsettledMessages
   */
  async deleteDevice(account: AccountScope, device: Types.ObjectId): Promise<void> {
    if (!(await this.deviceRecords.find(account, device))) throw new DeviceNotFound();
    if (await this.repository.hasUnsettled(account, device)) throw new DeviceHasUnsettledMessages();
    await this.devices.remove(account, device, { deletesMessages: true });
    await this.eraseOfDevice(account, device);
    this.hints.publish(account, 'message');
  }

  /** Completes deletions of devices with their messages, and deletes what was still in progress then. */
  async completeDevices(account: AccountScope): Promise<void> {
    for (const device of await this.deviceRecords.listDeletedWithMessages(account)) {
      await this.eraseOfDevice(account, device);
    }
  }

  private eraseOfDevice(account: AccountScope, device: Types.ObjectId): Promise<void> {
    return this.repository.eraseOfDevice(account, device, this.clock.now(), (numbers) =>
      this.conversations.expectDeletion(account, numbers),
    );
  }

  /** Updates the recipients that the batch shows, again if a concurrent deletion has changed them since they were read. */
  private async removeFromBatch(
    account: AccountScope,
    batch: Types.ObjectId,
    now: Date,
    except?: string,
  ): Promise<void> {
    for (;;) {
      const shown = await this.repository.findRecipientPreview(account, batch);
      const { first, count } = await this.repository.listRecipients(
        account,
        batch,
        MAX_PREVIEW_RECIPIENTS,
        except,
      );
      if (count === 0) return this.repository.eraseBatch(account, batch, now);
      if (shown === undefined) return;
      const preview = recipientPreview(first, count);
      if (await this.repository.replaceRecipientPreview(account, batch, shown, preview)) return;
    }
  }
}
