import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { byId } from '../../common/documents';
import { MINUTE_MS } from '../../common/durations';
import type { Device } from '../../devices/device.schema';
import { capabilitiesOf } from '../../devices/phone-capabilities';
import { SimAdmission } from '../../devices/sims/sim-admission.service';
import type { Batch } from '../../messages/batch.schema';
import type { OutgoingMessage } from '../../messages/message.schema';
import { PushClient } from '../../push/push-client.service';
import type { PushResult } from '../../push/push-transport';
import { pushTargetOf } from '../push-commands/push-target';
import { toSmsCommand } from '../push-commands/sms-command';
import type { RoutedMessages } from '../routing/routed-messages';
import { MessageAdmission } from '../routing/message-admission.service';
import { DispatchOutcomes } from './dispatch-outcomes.service';
import { PushClaimsRepository } from './push-claims.repository';
import type { WaveKey } from '../waves/wave-key';
import { REDELIVERY_WINDOW_MS } from './redelivery-window';
import { FetchWaits } from './fetch-waits.service';
import { MessageOffers, type TakeOffer } from './message-offers.service';
import { pacedAs } from '../waves/wave-plan';

/** A claim without a push result after this time belongs to a dead worker. Longer than any push takes. */
const PUSH_LEASE_MS = MINUTE_MS;

/**
 * Dispatches messages of a wave that are due on one phone: claims those that may leave now, and has them pushed, or offered to the phone. Each
 * message is claimed by one worker.
 */
@Injectable()
export class PhoneDispatcher {
  constructor(
    private readonly claims: PushClaimsRepository,
    private readonly admission: MessageAdmission,
    private readonly simAdmission: SimAdmission,
    private readonly pushClient: PushClient,
    private readonly outcomes: DispatchOutcomes,
    private readonly offers: MessageOffers,
    private readonly fetchWaits: FetchWaits,
    private readonly clock: Clock,
  ) {}

  /** @param take takes them for a phone that is fetching; without it those of a phone that fetches wait for that. */
  async dispatch(routed: RoutedMessages, batch: Batch, key: WaveKey, take?: TakeOffer): Promise<void> {
    const { device, messages: due } = routed;
    // Messages of a pool were checked before routing, but the phone chosen for them may be in another time zone.
    const outsideQuietHours = await this.admission.holdQuiet(device, batch, key, due);
    if (outsideQuietHours.length === 0) return;
    if (capabilitiesOf(device).fetches && !take)
      return this.fetchWaits.wait(
        device,
        outsideQuietHours.map((message) => ({
          id: message._id,
          user: device.user,
          device: device._id,
          dispatchAttempts: message.dispatchAttempts ?? 0,
          route: routeOf(message),
        })),
      );
    const admission = await this.admission.admit({ ...routed, messages: outsideQuietHours }, batch, key);
    const { admitted, expiresAt } = admission;
    const now = this.clock.now();
    if (admitted.length === 0) return;
    if (now >= expiresAt) {
      const noneHandedOver = new Set<string>();
      await this.simAdmission.settleAdmission(device, admission, noneHandedOver);
      await this.simAdmission.returnParts(device, admitted);
      return;
    }
    const redeliverUntil = new Date(now.getTime() + REDELIVERY_WINDOW_MS);
    const read = byId(due);
    const claims = admitted.map((each) => {
      const message = read.get(each.id.toHexString());
      const { dispatchAttempts = 0 } = message ?? {};
      return {
        ...each,
        user: device.user,
        device: device._id,
        dispatchAttempts,
        route: message && routeOf(message),
      };
    });
    if (take ?? this.pushClient.usesOffers(pushTargetOf(device))) {
      const attempts = new Map(
        claims.map(({ id, dispatchAttempts }) => [id.toHexString(), dispatchAttempts]),
      );
      return this.offers.offer({
        device,
        claims,
        admission,
        attempts,
        pacedAs: pacedAs(batch, key.wave),
        ...(take && { take }),
      });
    }
    const claimedIds = await this.claims.claim(claims, redeliverUntil, now);
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
        pacedAs(batch, key.wave),
      ),
      this.simAdmission.returnParts(
        device,
        admitted.filter(({ id }) => !isClaimed(id)),
      ),
    ]);
    await this.simAdmission.settleAdmission(device, admission, handedOverIdsOf(claimed, results));
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
  }

  private async pushAndStore(
    device: Device,
    key: WaveKey,
    claimed: readonly OutgoingMessage[],
  ): Promise<readonly PushResult[]> {
    if (claimed.length === 0) return [];
    const results = await this.pushClient.push(pushTargetOf(device), claimed.map(toSmsCommand));
    await this.outcomes.store(device, key, claimed, results);
    return results;
  }
}

/** What is stored with the claim of a message of a pool. */
function routeOf({ pool, simSubscriptionId, choice }: OutgoingMessage) {
  return pool && { simSubscriptionId, choice };
}

/** The messages that the transport has, or may have, accepted. */
function handedOverIdsOf(
  pushed: readonly OutgoingMessage[],
  results: readonly PushResult[],
): ReadonlySet<string> {
  const isHandedOver = (index: number) => ['accepted', 'doubt'].includes(results[index]?.outcome ?? 'doubt');
  return new Set(pushed.filter((_, index) => isHandedOver(index)).map(({ _id }) => _id.toHexString()));
}
