import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import { MessageChanges } from '../../messages/changes/message-changes.service';
import type { OutgoingMessage } from '../../messages/message.schema';
import { PushClient } from '../../push/push-client.service';
import type { MessageOffer, PushTarget } from '../../push/transport/push-transport';
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

  /** The offered messages, so that those that are taken can be sent at once. */
  read(account: AccountScope, { ids }: MessageOffer): Promise<readonly OutgoingMessage[]> {
    return this.claims.listOffered(account, ids);
  }

  /**
   * Takes those of the offered messages that may still be handed over. From then on they are handed over.
   * @returns their hex ids.
   */
  async take(
    account: AccountScope,
    target: PushTarget,
    { claim, ids }: MessageOffer,
  ): Promise<ReadonlySet<string>> {
    const { deviceId } = target;
    const taken = await this.claims.take(account, deviceId, claim, ids, this.clock.now());
    if (taken.size === 0) return taken;
    this.connections.expectAnswer(deviceId);
    const messages = ids.filter((id) => taken.has(id.toHexString()));
    this.changes.recordAll(
      'dispatched',
      taken.size,
      messages.map((_id) => ({ _id, user: account.user })),
    );
    this.pushClient.countTaken(target, taken.size);
    return taken;
  }
}
