import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { HOUR_MS, SECOND_MS } from '../../common/durations';
import { RECONNECT_TIMEOUT_MS } from '../../devices/connection/connection';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import type { Device } from '../../devices/device.schema';
import { PushClient } from '../../push/push-client.service';
import { pushTargetOf } from '../push-commands/push-target';
import { isOfPool, type MessageClaim } from './message-claim';
import { OfferClaimsRepository } from './offer-claims.repository';

/** A claim whose messages do not come to wait, because the process died, ends after this time. */
const CLAIM_LEASE_MS = 15 * SECOND_MS;

/** When a worker wakes the phone again that has not fetched its messages. */
const WAKE_AGAIN_MS = HOUR_MS;

/** Messages of a pool are routed again once a phone that has fetched nothing counts as offline. */
const REROUTE_MS = RECONNECT_TIMEOUT_MS + SECOND_MS;

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
    const { claim, ids } = await this.messages.claim(claims, after(claimedAt, CLAIM_LEASE_MS), claimedAt);
    const claimed = claims.flatMap(({ id }) => (ids.has(id.toHexString()) ? [id] : []));
    if (claimed.length === 0) return;
    const retryAt = after(claimedAt, claims.some(isOfPool) ? REROUTE_MS : WAKE_AGAIN_MS);
    await this.messages.park(
      [{ user: device.user, claim, ids: claimed, claimedAt, retryAt }],
      claimedAt,
      'phone_fetch',
    );
    this.connections.recordHandOver(device._id);
    await this.pushClient.push(pushTargetOf(device), [{ kind: 'fetch' }]);
  }
}

const after = (time: Date, ms: number) => new Date(time.getTime() + ms);
