import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { CoalescedLoader, Coalescer, latestOf } from '../../common/coalescer';
import { byId } from '../../common/documents';
import { SECOND_MS } from '../../common/durations';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { conditionPerDocument } from '../../infrastructure/mongo/condition-per-document';
import { exists } from '../../infrastructure/mongo/exists';
import { byOwnedIds, ofAccounts, type OwnedId } from '../../infrastructure/mongo/owned-ids';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { CLAIMABLE, ifMoving } from '../../messages/ended-attempt';
import { Message, type OutgoingMessage } from '../../messages/message.schema';
import { storedGiveUpAt } from '../routing/give-up';
import { writeClaim } from './claim-write';
import { claimInTurn, MAX_CLAIMED_AT_ONCE, type MessageClaim } from './message-claim';
import { REDELIVERY_WINDOW_MS } from './redelivery-window';

/** For this long a process may take what a worker has claimed. Then the messages are due again, in case that worker has died. */
export const CLAIM_LEASE_MS = 15 * SECOND_MS;

/** The messages of an offer that were claimed by one write. */
export interface OfferClaim {
  readonly claim: Types.ObjectId;
  /** Hex ids. */
  readonly ids: ReadonlySet<string>;
}

interface ClaimRequest {
  readonly messages: readonly MessageClaim[];
  readonly now: Date;
}

interface TakeRequest extends Pick<OwnedId, 'user'> {
  readonly device: Types.ObjectId;
  readonly claim: Types.ObjectId;
  readonly ids: readonly Types.ObjectId[];
  readonly now: Date;
}

/** Claimed messages that nobody has taken in time, or that wait until their phone fetches them. */
export interface ParkRequest extends Pick<OwnedId, 'user'> {
  readonly claim: Types.ObjectId;
  readonly ids: readonly Types.ObjectId[];
  /** Since when they wait for their phone. */
  readonly claimedAt: Date;
  /** When a worker looks at them again, if their phone neither opens a stream nor fetches before. */
  readonly retryAt: Date;
}

/** A message after its claim has ended. */
export type EndedClaim = Pick<Message, '_id' | 'device' | 'dispatchAttempts' | 'waitingFor'>;

/**
 * The claims of messages that are offered to phones: over their streams, or when they fetch. A claimed message stays pending: it can be
 * cancelled, paused and expire until it is taken for its phone. Each state change is one conditional write.
 */
@Injectable()
export class OfferClaimsRepository {
  private readonly claimCoalescer = new Coalescer(
    (requests: readonly ClaimRequest[]) => this.writeClaims(requests),
    { maxGroupSize: MAX_CLAIMED_AT_ONCE, sizeOf: ({ messages }) => messages.length },
  );
  private readonly takeCoalescer = new Coalescer(
    (requests: readonly TakeRequest[]) => this.writeTakes(requests),
    {
      maxGroupSize: MAX_CLAIMED_AT_ONCE,
      sizeOf: ({ ids }) => ids.length,
    },
  );

  private readonly offeredLoader = new CoalescedLoader(
    ({ _id }: OwnedId) => _id.toHexString(),
    (ids: readonly OwnedId[]) => this.readOffered(ids),
    MAX_CLAIMED_AT_ONCE,
  );

  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Claims due messages for the phones that they were routed to. No attempt is counted before they are taken. They are due again after
   * `CLAIM_LEASE_MS` if they were neither taken nor parked.
   */
  claim(messages: readonly MessageClaim[], now: Date): Promise<OfferClaim> {
    return this.claimCoalescer.submit({ messages, now });
  }

  /** The messages of an offer, whether or not they may still be taken, in the order of the ids. */
  listOffered({ user }: AccountScope, ids: readonly Types.ObjectId[]): Promise<OutgoingMessage[]> {
    return this.offeredLoader.loadMany(ids.map((_id) => ({ _id, user })));
  }

  /**
   * Takes claimed messages for a phone that this process serves: those that nobody has taken, cancelled, paused, moved or expired since.
   * From then on they are handed over.
   * @returns the hex ids of those that were taken.
   */
  take(
    { user }: AccountScope,
    device: Types.ObjectId,
    claim: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
  ): Promise<ReadonlySet<string>> {
    return this.takeCoalescer.submit({ user, device, claim, ids, now });
  }

  /**
   * Has claimed messages wait for their phones. Their claims end; without a pool, the choice of their SIM ends too.
   * @returns how many.
   */
  async park(
    requests: readonly ParkRequest[],
    now: Date,
    reason: 'phone_unreachable' | 'phone_fetch' = 'phone_unreachable',
  ): Promise<number> {
    const values = requests.flatMap(({ ids, claimedAt, retryAt }) =>
      ids.map((id) => ({ id, claimedAt, retryAt })),
    );
    const ofPool = exists('$pool');
    const result = await this.messages.updateMany(
      {
        ...ofAccounts(requests),
        _id: { $in: values.map(({ id }) => id) },
        pushClaim: { $in: requests.map(({ claim }) => claim) },
        waitingFor: { $exists: false },
        ...CLAIMABLE,
      },
      [
        {
          $set: {
            parked: valuePerDocument(
              values,
              ({ id }) => id,
              ({ claimedAt, retryAt }) => ({ claimedAt, retryAt }),
            ),
          },
        },
        {
          $set: {
            waitingFor: { reason },
            sim: { $cond: [ofPool, coalesce('$sim'), '$$REMOVE'] },
            nextDispatchAt: '$parked.retryAt',
            moveDueAt: ifMoving('$parked.retryAt'),
            giveUpAt: storedGiveUpAt('$parked.claimedAt'),
            simSubscriptionId: {
              $cond: [
                { $and: [{ $not: [ofPool] }, { $eq: ['$isSimChosen', true] }] },
                '$$REMOVE',
                coalesce('$simSubscriptionId'),
              ],
            },
            isSimChosen: { $cond: [ofPool, coalesce('$isSimChosen'), '$$REMOVE'] },
            updatedAt: now,
          },
        },
        { $unset: ['parked', 'pushClaim', 'simReservation', 'paceSlot'] },
      ],
      { updatePipeline: true },
    );
    return result.modifiedCount;
  }

  listEnded(offers: readonly Pick<ParkRequest, 'user' | 'ids'>[]): Promise<EndedClaim[]> {
    const _id = { $in: offers.flatMap(({ ids }) => ids) };
    return this.messages
      .find({ ...ofAccounts(offers), _id }, { device: 1, dispatchAttempts: 1, waitingFor: 1 })
      .lean<EndedClaim[]>();
  }

  private async writeClaims(requests: readonly ClaimRequest[]): Promise<OfferClaim[]> {
    const claim = new Types.ObjectId();
    const { now } = latestOf(requests);
    const nextDispatchAt = new Date(now.getTime() + CLAIM_LEASE_MS);
    const claimed = await claimInTurn(requests, (messages) =>
      writeClaim(this.messages, messages, {
        now,
        set: { pushClaim: claim, nextDispatchAt, updatedAt: now },
        unset: ['waitingFor'],
        countsAttempt: false,
        ofPool: { set: { moveDueAt: ifMoving(nextDispatchAt) }, unset: [] },
      }),
    );
    return claimed.map((ids) => ({ claim, ids }));
  }

  private async readOffered(ids: readonly OwnedId[]): Promise<Map<string, OutgoingMessage>> {
    return byId(await this.messages.find(byOwnedIds(ids)).lean<OutgoingMessage[]>());
  }

  private async writeTakes(requests: readonly TakeRequest[]): Promise<ReadonlySet<string>[]> {
    const takeId = new Types.ObjectId();
    const offered = requests.flatMap(({ ids, device }) => ids.map((id) => ({ id, device })));
    const own = { ...ofAccounts(requests), _id: { $in: offered.map(({ id }) => id) } };
    const { now } = latestOf(requests);
    const { modifiedCount } = await this.messages.updateMany(
      {
        ...own,
        pushClaim: { $in: requests.map(({ claim }) => claim) },
        ...CLAIMABLE,
        $and: [atTheirPhones(offered)],
        waitingFor: { $exists: false },
        nextDispatchAt: { $gt: now },
        validUntil: { $not: { $lte: now } },
      },
      {
        $set: {
          status: 'dispatched',
          dispatchedAt: now,
          pushClaim: takeId,
          redeliverUntil: new Date(now.getTime() + REDELIVERY_WINDOW_MS),
          updatedAt: now,
        },
        $inc: { dispatchAttempts: 1 },
        // Also the acknowledgements of the phone that had a message of a pool before.
        $unset: {
          moveDueAt: 1,
          giveUpAt: 1,
          paceSlot: 1,
          unavailableSince: 1,
          pushReceivedAt: 1,
          sendAttemptedAt: 1,
        },
      },
    );
    if (modifiedCount === offered.length) return requests.map(({ ids }) => hexSetOf(ids));
    const found = await this.messages.find({ ...own, pushClaim: takeId }, { device: 1 }).lean();
    const taken = new Map(found.map(({ _id, device }) => [_id.toHexString(), device]));
    const takenOf = ({ device, ids }: TakeRequest) =>
      hexSetOf(
        ids.filter((id) => taken.get(id.toHexString())?.equals(device) && taken.delete(id.toHexString())),
      );
    // The latest first: a message that was offered twice has the claim, and the SIM, of its latest offer.
    return requests.toReversed().map(takenOf).toReversed();
  }
}

const atTheirPhones = (
  offered: readonly { readonly id: Types.ObjectId; readonly device: Types.ObjectId }[],
) =>
  conditionPerDocument(
    offered,
    ({ id }) => id,
    ({ device }) => device.toHexString(),
    ({ device }) => ({ device }),
  );

const hexSetOf = (ids: readonly Types.ObjectId[]): ReadonlySet<string> =>
  new Set(ids.map((id) => id.toHexString()));
