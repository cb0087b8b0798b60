import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import { MessageChanges } from '../../messages/changes/message-changes.service';
import type { OutgoingMessage } from '../../messages/message.schema';
import { PushClient } from '../../push/push-client.service';
import type { MessageOffer, PushTarget } from '../../push/push-transport';
import { OfferClaimsRepository } from './offer-claims.repository';

/** Takes offered messages for a phone, which hands them over: for its stream, or when it fetches. */
@Injectable()
export class MessageTaker {
  constructor(
    private readonly claims: OfferClaimsRepository,
    private readonly connections: ConnectionRecorder,
    private readonly changes: MessageChanges,
    private readonly pushClient: PushClient,
    private readonly clock: Clock,
  ) {}

  /** Takes those of the offered messages that may still be handed over. @returns them; from then on they are handed over. */
  async take(
    account: AccountScope,
    target: PushTarget,
    { claim, ids }: MessageOffer,
  ): Promise<readonly OutgoingMessage[]> {
    const { deviceId } = target;
    const messages = await this.claims.take(account, deviceId, claim, ids, this.clock.now());
    if (messages.length === 0) return [];
    this.connections.expectAnswer(deviceId);
    this.changes.recordAll('dispatched', messages.length, messages);
    this.pushClient.countTaken(target, messages.length);
    return messages;
  }
}
