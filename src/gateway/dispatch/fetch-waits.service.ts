import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import type { Device } from '../../devices/store/device.schema';
import { PushClient } from '../../push/push-client.service';
import { pushTargetOf } from '../push-commands/push-target';
import { type MessageClaim, recheckAt } from './message-claim';
import { OfferClaimsRepository } from './offer-claims.repository';

/** Has due messages wait for phones that fetch them, and wakes these phones. */
@Injectable()
export class FetchWaits {
  constructor(
    private readonly messages: OfferClaimsRepository,
    private readonly connections: ConnectionRecorder,
    private readonly pushClient: PushClient,
    private readonly clock: Clock,
  ) {}

  /** Nothing is counted, reserved or handed over before the phone fetches. */
  async wait(device: Device, claims: readonly MessageClaim[]): Promise<void> {
    const claimedAt = this.clock.now();
    const { claim, ids } = await this.messages.claim(claims, claimedAt);
    const claimed = claims.flatMap(({ id }) => (ids.has(id.toHexString()) ? [id] : []));
    if (claimed.length === 0) return;
    const retryAt = recheckAt(claims, claimedAt);
    await this.messages.park(
      [{ user: device.user, claim, ids: claimed, claimedAt, retryAt }],
      claimedAt,
      'phone_fetch',
    );
    this.connections.expectAnswer(device._id);
    await this.pushClient.push(pushTargetOf(device), [{ kind: 'fetch' }]);
  }
}
