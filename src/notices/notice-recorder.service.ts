import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { OperationalEntry } from '../devices/events/operational-event';
import { occurrenceOf } from './notice-sources';
import { NoticesRepository } from './notices.repository';

/** Stores what the owners of accounts may be told. Idempotent. */
@Injectable()
export class NoticeRecorder {
  constructor(private readonly notices: NoticesRepository) {}

  async recordEvents(
    events: readonly { readonly user: Types.ObjectId; readonly entry: OperationalEntry }[],
  ): Promise<void> {
    await this.notices.record(events.flatMap(({ user, entry }) => occurrenceOf(user, entry) ?? []));
  }

  /** @param reason the note of the pause. */
  async recordPause(
    user: Types.ObjectId,
    webhook: { readonly id: Types.ObjectId; readonly name: string; readonly reason?: string },
    at: Date,
  ): Promise<void> {
    const { id, name, reason: detail } = webhook;
    const _id = `webhook:${id.toHexString()}`;
    await this.notices.record([
      { _id, user, topic: 'webhookPaused', state: at.toISOString(), at, name, detail },
    ]);
  }
}
