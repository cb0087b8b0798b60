import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { byId } from '../../common/documents';
import { MINUTE_MS } from '../../common/durations';
import type { Device } from '../../devices/store/device.schema';
import { capabilitiesOf } from '../../devices/store/phone-capabilities';
import { type Admission, type AdmittedMessage, SimAdmission } from '../../devices/sims/sim-admission.service';
import type { Batch } from '../../messages/batch.schema';
import type { OutgoingMessage } from '../../messages/message.schema';
import { PushClient } from '../../push/push-client.service';
import type { PushResult } from '../../push/transport/push-transport';
import { pushTargetOf } from '../push-commands/push-target';
import { toSmsCommand } from '../push-commands/sms-command';
import type { RoutedMessages } from '../routing/routed-messages';
import { MessageAdmission } from '../routing/message-admission.service';
import { DispatchOutcomes } from './dispatch-outcomes.service';
import { PushClaimsRepository } from './push-claims.repository';
import type { WaveKey } from '../waves/wave-key';
import { REDELIVERY_WINDOW_MS } from './redelivery-window';
import { FetchWaits } from './fetch-waits.service';
import type { MessageClaim } from './message-claim';
import { MessageOffers, type OfferedMessages, type TakeOffer } from './message-offers.service';
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

  /** @param take takes them for a phone that is fetching. Absent: messages of a phone that fetches wait for its next fetch. */
  async dispatch(routed: RoutedMessages, batch: Batch, key: WaveKey, take?: TakeOffer): Promise<void> {
    const { device, messages: due } = routed;
    // Messages of a pool were checked before routing, but the phone chosen for them may be in another time zone.
    const messages = await this.admission.holdQuiet(device, batch, key, due);
    if (messages.length === 0) return;
    if (capabilitiesOf(device).fetches && !take)
      return this.fetchWaits.wait(
        device,
        messages.map((message) => toClaim(message, device)),
      );
    const admission = await this.admission.admit({ ...routed, messages }, batch, key);
    if (admission.admitted.length === 0) return;
    if (this.clock.now() >= admission.expiresAt) return this.releaseAll(device, admission);
    const read = byId(messages);
    const claims = admission.admitted.flatMap((each) => {
      const message = read.get(each.id.toHexString());
      return message ? [toClaim(message, device, each)] : [];
    });
    const offered: OfferedMessages = { device, claims, admission, pacedAs: pacedAs(batch, key.wave) };
    if (take) return this.offers.offer({ ...offered, take });
    if (this.pushClient.usesOffers(pushTargetOf(device))) return this.offers.offer(offered);
    await this.push(offered, read, key);
  }

  /** Claims admitted messages and pushes them. */
  private async push(
    { device, claims, admission, pacedAs: paced }: OfferedMessages,
    read: ReadonlyMap<string, OutgoingMessage>,
    key: WaveKey,
  ): Promise<void> {
    const now = this.clock.now();
    const redeliverUntil = new Date(now.getTime() + REDELIVERY_WINDOW_MS);
    const claimedIds = await this.claims.claim(claims, redeliverUntil, now);
    const isClaimed = ({ id }: Pick<MessageClaim, 'id'>) => claimedIds.has(id.toHexString());
    const chosen = new Map(claims.map(({ id, chosenSubscriptionId }) => [String(id), chosenSubscriptionId]));
    const claimed = [...read].flatMap(([id, message]) => {
      if (!claimedIds.has(id)) return [];
      const simSubscriptionId = chosen.get(id);
      return simSubscriptionId === undefined ? message : Object.assign({}, message, { simSubscriptionId });
    });
    const { admitted } = admission;
    const [results] = await Promise.all([
      this.pushAndStore(device, key, claimed),
      this.simAdmission.drawPhonePace(device, admitted.filter(isClaimed), paced),
      this.simAdmission.returnParts(
        device,
        admitted.filter((each) => !isClaimed(each)),
      ),
    ]);
    await this.simAdmission.settleAdmission(device, admission, handedOverIdsOf(claimed, results));
  }

  /** Frees the room of messages whose admission took too long. */
  private async releaseAll(device: Device, admission: Admission): Promise<void> {
    const noneHandedOver = new Set<string>();
    await this.simAdmission.settleAdmission(device, admission, noneHandedOver);
    await this.simAdmission.returnParts(device, admission.admitted);
  }

  /**
   * Moves messages whose claim has expired to dispatched: FCM may have accepted them, and a second push could send the SMS
   * twice.
   */
  async endExpiredClaims(due: readonly OutgoingMessage[]): Promise<void> {
    const startedUntil = new Date(this.clock.now().getTime() - PUSH_LEASE_MS);
    const expired = due.filter(({ pushStartedAt }) => pushStartedAt && pushStartedAt <= startedUntil);
    await this.outcomes.endExpiredClaims(expired, startedUntil);
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

/** @param admitted absent if it is not handed over now. */
const toClaim = (
  { _id: id, dispatchAttempts = 0, movedFrom, pool, simSubscriptionId, choice }: OutgoingMessage,
  device: Device,
  admitted?: AdmittedMessage,
): MessageClaim => ({
  id,
  user: device.user,
  device: device._id,
  dispatchAttempts,
  movedFrom,
  sim: admitted?.sim,
  chosenSubscriptionId: admitted?.chosenSubscriptionId,
  reservationId: admitted?.reservationId,
  route: pool && { simSubscriptionId, choice },
});

/** The messages that the transport has, or may have, accepted. */
function handedOverIdsOf(
  pushed: readonly OutgoingMessage[],
  results: readonly PushResult[],
): ReadonlySet<string> {
  const isHandedOver = (index: number) => ['accepted', 'doubt'].includes(results[index]?.outcome ?? 'doubt');
  return new Set(pushed.filter((_, index) => isHandedOver(index)).map(({ _id }) => _id.toHexString()));
}
