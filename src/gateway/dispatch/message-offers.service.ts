import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { coalescedWrites } from '../../common/coalescer';
import { Clock } from '../../common/clock';
import { byId } from '../../common/documents';
import { SECOND_MS } from '../../common/durations';
import { formatError } from '../../common/format-error';
import { RECONNECT_TIMEOUT_MS } from '../../devices/connection/connection';
import { ConnectionsRepository } from '../../devices/connection/connections.repository';
import type { Device } from '../../devices/store/device.schema';
import type { PacedAs } from '../../devices/pace/phone-pace';
import { type Admission, SimAdmission } from '../../devices/sims/sim-admission.service';
import { PushClient } from '../../push/push-client.service';
import type { OfferResult, MessageOffer } from '../../push/transport/push-transport';
import { WaitingMessagesRepository } from '../routing/waiting-messages.repository';
import { DispatchQueue } from '../waves/dispatch.queue';
import { type MessageClaim, recheckAt } from './message-claim';
import { pushTargetOf } from '../push-commands/push-target';
import { CLAIM_LEASE_MS, type EndedClaim, OfferClaimsRepository } from './offer-claims.repository';

/**
 * Messages that nobody has taken after this time are withdrawn. The time does not decide whether one was handed over: either the process
 * with the stream takes it, or it is withdrawn, each by a conditional write.
 */
const OFFER_MS = 4 * SECOND_MS;

/** Offers that end together are withdrawn together. */
const WITHDRAW_LINGER_MS = 500;
const MESSAGES_PER_WITHDRAWAL = 250;

/** The streams of the phones make further messages due within a minute. */
const MAX_REOPENED_MESSAGES = 5_000;

/** Takes claimed messages for a phone that is fetching them. @returns whether it took all. */
export type TakeOffer = (offer: MessageOffer) => Promise<boolean>;

export interface OfferedMessages {
  readonly device: Device;
  readonly claims: readonly MessageClaim[];
  readonly admission: Admission;
  /** As for their admission. */
  readonly pacedAs?: PacedAs;
  /** Takes them for a phone that is fetching. Absent: they are offered to the stream of the phone. */
  readonly take?: TakeOffer;
}

interface Offer extends OfferedMessages {
  readonly claim: Types.ObjectId;
  readonly ids: readonly Types.ObjectId[];
  readonly claimedAt: Date;
  readonly retryAt: Date;
  /** Whether Redis has confirmed it. */
  readonly isPublished: boolean;
}

/** Claims messages and offers them to their phones, on a stream or fetching. Messages that are not taken in time wait for their phone. */
@Injectable()
export class MessageOffers implements BeforeApplicationShutdown {
  private readonly logger = new Logger(MessageOffers.name);
  private readonly timers = new Map<Offer, NodeJS.Timeout>();
  private readonly withdrawals = new Set<Promise<void>>();
  private readonly withdrawCoalescer = coalescedWrites<Offer>((offers) => this.withdrawAll(offers), {
    lingerMs: WITHDRAW_LINGER_MS,
    maxGroupSize: MESSAGES_PER_WITHDRAWAL,
    sizeOf: ({ ids }) => ids.length,
  });
  private isStopping = false;

  constructor(
    private readonly messages: OfferClaimsRepository,
    private readonly waiting: WaitingMessagesRepository,
    private readonly connections: ConnectionsRepository,
    private readonly simAdmission: SimAdmission,
    private readonly queue: DispatchQueue,
    private readonly pushClient: PushClient,
    private readonly clock: Clock,
  ) {}

  /**
   * Claims messages and offers them to their phone. The reservations of the admission end when they are taken, or
   * withdrawn.
   */
  async offer(offered: OfferedMessages): Promise<void> {
    const { device, claims, admission, pacedAs, take } = offered;
    const claimedAt = this.clock.now();
    const { claim, ids: claimedIds } = await this.messages.claim(claims, claimedAt);
    const claimed = claims.filter(({ id }) => claimedIds.has(id.toHexString()));
    const ofOthers = admission.admitted.filter(({ id }) => !claimedIds.has(id.toHexString()));
    await this.simAdmission.returnParts(device, ofOthers);
    const ids = claimed.map(({ id }) => id);
    if (ids.length === 0) return this.simAdmission.settleAdmission(device, admission, new Set());
    const [result] = await Promise.all([
      take ? takeOffer(take, { claim, ids }) : this.pushClient.offer(pushTargetOf(device), { claim, ids }),
      this.simAdmission.drawPhonePace(device, admittedOf(admission, claimedIds), pacedAs),
    ]);
    if (result === 'taken') return this.simAdmission.settleAdmission(device, admission, claimedIds);
    const retryAt = recheckAt(claims, claimedAt);
    const isPublished = result === 'published';
    await this.withdrawLater({ ...offered, claim, ids, claimedAt, retryAt, isPublished });
  }

  /** Withdraws what is still offered: otherwise it keeps its room until `WaitingReview` ends the reservations. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const [offer, timer] of this.timers) {
      clearTimeout(timer);
      void this.withdraw(offer);
    }
    await Promise.all(this.withdrawals);
  }

  /** Returns at once, unless this process stops. */
  private async withdrawLater(offer: Offer): Promise<void> {
    if (this.isStopping) return this.withdraw(offer);
    this.timers.set(
      offer,
      setTimeout(() => void this.withdraw(offer), OFFER_MS),
    );
  }

  /** Never throws. */
  private withdraw(offer: Offer): Promise<void> {
    this.timers.delete(offer);
    const withdrawal = this.withdrawCoalescer
      .submit(offer)
      .catch((failure: unknown) => {
        this.logger.error(
          `Messages for device ${offer.device._id.toHexString()} were not withdrawn; they are due again in ${CLAIM_LEASE_MS / SECOND_MS} s: ${formatError(failure)}`,
        );
      })
      .finally(() => this.withdrawals.delete(withdrawal));
    this.withdrawals.add(withdrawal);
    return withdrawal;
  }

  private async withdrawAll(offers: readonly Offer[]): Promise<void> {
    const parkedCount = await this.messages.park(offers.map(toOwned), this.clock.now());
    const unsettled = offers.filter(({ admission }) => parkedCount > 0 || isReserved(admission));
    if (unsettled.length > 0) await this.settleAll(unsettled, parkedCount > 0);
  }

  /** Never throws: the messages wait already. What is not done here is found by the review of waiting messages, or within an hour. */
  private async settleAll(offers: readonly Offer[], isAnyParked: boolean): Promise<void> {
    try {
      const ended = byId(await this.messages.listEnded(offers.map(toOwned)));
      for (const offer of offers)
        await this.settle(offer, ended).catch((failure: unknown) => {
          this.logUnsettled(1, failure);
        });
      if (isAnyParked) await this.noteUntaken(offers, ended);
    } catch (failure) {
      this.logUnsettled(offers.length, failure);
    }
  }

  private logUnsettled(offerCount: number, failure: unknown): void {
    this.logger.error(
      `The messages of ${offerCount} offers wait for their phones; a later look frees the room of their SIMs and notices phones that are back: ${formatError(failure)}`,
    );
  }

  /** Frees the room of what was not taken. */
  private async settle(
    { device, admission, claims, ids, pacedAs }: Offer,
    ended: ReadonlyMap<string, EndedClaim>,
  ): Promise<void> {
    const attempts = new Map(claims.map(({ id, dispatchAttempts }) => [id.toHexString(), dispatchAttempts]));
    const taken = new Set<string>();
    const untaken = new Set<string>();
    for (const id of ids.map((each) => each.toHexString())) {
      const isTaken = (ended.get(id)?.dispatchAttempts ?? 0) > (attempts.get(id) ?? 0);
      (isTaken ? taken : untaken).add(id);
    }
    await this.simAdmission.settleAdmission(device, admission, taken);
    await this.simAdmission.returnPhonePace(device, admittedOf(admission, untaken), pacedAs);
  }

  /** A phone whose messages nobody takes has no stream, unless it has opened one since. */
  private async noteUntaken(offers: readonly Offer[], ended: ReadonlyMap<string, EndedClaim>): Promise<void> {
    const isParked = (id: Types.ObjectId) =>
      ended.get(id.toHexString())?.waitingFor?.reason === 'phone_unreachable';
    const untaken = offers.filter(({ ids }) => ids.some(isParked));
    const now = this.clock.now();
    const reopened = await this.connections.listReopened(untaken.map(toUntaken));
    const isReopened = ({ device }: Offer) => reopened.some((id) => id.equals(device._id));
    const unheard = untaken.filter((offer) => offer.isPublished && !isReopened(offer));
    await this.connections.recordUntaken(
      unheard.map(toUntaken),
      new Date(now.getTime() + RECONNECT_TIMEOUT_MS),
    );
    const phones = untaken.filter(isReopened).map(({ device }) => device);
    const waves = await this.waiting.makeDueForPhones(phones, now, MAX_REOPENED_MESSAGES);
    await this.queue.enqueue(waves);
  }
}

const takeOffer = async (take: TakeOffer, offer: MessageOffer): Promise<OfferResult> =>
  (await take(offer)) ? 'taken' : 'lost';

const toOwned = (offer: Offer) => ({ ...offer, user: offer.device.user });

const toUntaken = ({ device, claimedAt }: Offer) => ({ device: device._id, claimedAt });

const isReserved = ({ admitted }: Admission) =>
  admitted.some(({ reservationId, canary }) => reservationId ?? canary);

const admittedOf = ({ admitted }: Admission, ids: ReadonlySet<string>) =>
  admitted.filter(({ id }) => ids.has(id.toHexString()));
