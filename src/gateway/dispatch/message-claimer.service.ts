import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { MINUTE_MS } from '../../common/durations';
import type { Device } from '../../devices/device.schema';
import { SimAdmission } from '../../devices/sims/sim-admission.service';
import type { Batch } from '../../messages/batch.schema';
import type { OutgoingMessage } from '../../messages/message.schema';
import type { PushResult } from '../../push/push-transport';
import type { RoutedMessages } from '../failover/routed-messages';
import { WaitingMessages } from '../waiting/waiting-messages.service';
import { DispatchOutcomes } from './dispatch-outcomes.service';
import { DispatchRepository, type WaveKey } from './dispatch.repository';
import { PhonePusher } from './phone-pusher.service';
import { REDELIVERY_WINDOW_MS } from './redelivery-window';

/** A claim without a push result after this time belongs to a dead worker. Longer than any push takes. */
const PUSH_LEASE_MS = MINUTE_MS;

/** Claims the due messages of a phone that may leave now, and has them pushed. One worker at a time pushes a message. */
@Injectable()
export class MessageClaimer {
  constructor(
    private readonly messages: DispatchRepository,
    private readonly waiting: WaitingMessages,
    private readonly simAdmission: SimAdmission,
    private readonly phonePusher: PhonePusher,
    private readonly outcomes: DispatchOutcomes,
    private readonly clock: Clock,
  ) {}

  async claimAndPush(routed: RoutedMessages, batch: Batch, key: WaveKey): Promise<void> {
    const { device, messages: due } = routed;
    // Messages of a pool were checked before routing, but the phone chosen for them may be in another time zone.
    const outsideQuietHours = await this.waiting.holdQuiet(device, batch, key, due);
    if (outsideQuietHours.length === 0) return;
    const admission = await this.waiting.admit({ ...routed, messages: outsideQuietHours }, batch, key);
    const { admitted, expiresAt } = admission;
    const now = this.clock.now();
    if (admitted.length === 0) return;
    if (now >= expiresAt) {
      const noneHandedOver = new Set<string>();
      await this.simAdmission.endReservations(device, admission, noneHandedOver);
      return;
    }
    const offerUntil = new Date(now.getTime() + REDELIVERY_WINDOW_MS);
    const routes = new Map(due.map((message) => [message._id.toHexString(), routeOf(message)]));
    const claims = admitted.map((each) => ({ ...each, route: routes.get(each.id.toHexString()) }));
    const claimedIds = await this.messages.claim(claims, offerUntil, now);
    const isClaimed = (id: Types.ObjectId) => claimedIds.has(id.toHexString());
    const chosen = new Map(admitted.map((each) => [each.id.toHexString(), each.chosenSubscriptionId]));
    const claimed = outsideQuietHours
      .filter(({ _id }) => isClaimed(_id))
      .map((message) =>
        Object.assign({}, message, {
          simSubscriptionId: chosen.get(message._id.toHexString()) ?? message.simSubscriptionId,
        }),
      );
    const [results] = await Promise.all([
      this.pushAndStore(device, key, claimed),
      this.simAdmission.drawPhonePace(
        device,
        admitted.filter(({ id }) => isClaimed(id)),
      ),
    ]);
    await this.simAdmission.endReservations(device, admission, handedOverIdsOf(claimed, results));
  }

  /**
   * Moves messages whose claim has expired to dispatched: FCM may have accepted them, and a second push could send the SMS
   * twice.
   */
  async markExpiredClaimsDispatched(due: readonly OutgoingMessage[]): Promise<void> {
    const now = this.clock.now();
    const expired = due.filter(
      ({ pushStartedAt }) => pushStartedAt && now.getTime() - pushStartedAt.getTime() > PUSH_LEASE_MS,
    );
    await this.outcomes.moveToDispatched(expired);
    for (const { device } of expired) this.phonePusher.recordHandOver(device);
  }

  private async pushAndStore(
    device: Device,
    key: WaveKey,
    claimed: readonly OutgoingMessage[],
  ): Promise<readonly PushResult[]> {
    if (claimed.length === 0) return [];
    const results = await this.phonePusher.push(device, claimed);
    await this.outcomes.store(device, key, claimed, results);
    return results;
  }
}

/** What is stored with the claim of a message of a pool. */
function routeOf({ pool, device, simSubscriptionId, choice, dispatchAttempts }: OutgoingMessage) {
  return pool && { device, simSubscriptionId, choice, dispatchAttempts: dispatchAttempts ?? 0 };
}

/** The messages that the transport has, or may have, accepted. */
function handedOverIdsOf(
  pushed: readonly OutgoingMessage[],
  results: readonly PushResult[],
): ReadonlySet<string> {
  const isHandedOver = (index: number) => ['accepted', 'doubt'].includes(results[index]?.outcome ?? 'doubt');
  return new Set(pushed.filter((_, index) => isHandedOver(index)).map(({ _id }) => _id.toHexString()));
}
