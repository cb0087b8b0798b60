import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { coalescedWrites, latestOf } from '../../common/coalescer';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { isMissing } from '../../infrastructure/mongo/exists';
import { byOwnedIds, type OwnedId } from '../../infrastructure/mongo/owned-ids';
import { type AttemptEnd, dueAgainUpdate, endAttemptUpdate } from '../../messages/ended-attempt';
import { failureUpdate } from '../../messages/failure-update';
import { Message } from '../../messages/message.schema';
import { COUNTING_WRITE_TIMEOUT_MS } from '../../totals/periods';
import { MAX_CLAIMED_AT_ONCE } from './message-claim';

interface DispatchedRequest {
  readonly messages: readonly OwnedId[];
  readonly now: Date;
}

/** What became of due messages: handed over, due again or failed. Each state change is one conditional write. */
@Injectable()
export class DispatchOutcomesRepository {
  private readonly dispatchedCoalescer = coalescedWrites(
    (requests: readonly DispatchedRequest[]) => this.writeDispatched(requests),
    { maxGroupSize: MAX_CLAIMED_AT_ONCE, sizeOf: ({ messages }) => messages.length },
  );

  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Moves messages to `dispatched` that the transport has, or may have, accepted. A message that the phone has already
   * reported on keeps its status.
   */
  async moveToDispatched(messages: readonly OwnedId[], now: Date): Promise<void> {
    await this.dispatchedCoalescer.submit({ messages, now });
  }

  /**
   * Moves messages to `dispatched` whose push was started up to `startedUntil` and has no result yet.
   * @returns how many.
   */
  async endExpiredClaims(messages: readonly OwnedId[], startedUntil: Date, now: Date): Promise<number> {
    const result = await this.messages.updateMany(
      { ...byOwnedIds(messages), status: 'pending', pushStartedAt: { $lte: startedUntil } },
      dispatchedUpdate(now),
      { updatePipeline: true },
    );
    return result.modifiedCount;
  }

  /**
   * Releases the claims of messages that the transport did not accept: they are due again at `dueAt`, and can be cancelled. A
   * SIM that the service chose is chosen again. Those whose cancellation was requested meanwhile become `dispatched`
   * instead: the phone has the cancel request, and must not get the message after it.
   */
  async releaseClaims(messages: readonly OwnedId[], dueAt: Date, now: Date): Promise<void> {
    const ifCancelRequested = (then: unknown, otherwise: unknown) => ({
      $cond: [isMissing('$cancelRequestedAt'), otherwise, then],
    });
    await this.messages.updateMany(
      { ...byOwnedIds(messages), status: 'pending', pushStartedAt: { $exists: true } },
      [
        {
          $set: {
            status: ifCancelRequested('dispatched', '$status'),
            dispatchedAt: ifCancelRequested(now, '$$REMOVE'),
            nextDispatchAt: dueAt,
            unavailableSince: ifCancelRequested('$$REMOVE', { $ifNull: ['$unavailableSince', now] }),
            redeliverUntil: ifCancelRequested('$redeliverUntil', '$$REMOVE'),
            simSubscriptionId: { $cond: ['$isSimChosen', '$$REMOVE', coalesce('$simSubscriptionId')] },
            updatedAt: now,
          },
        },
        { $unset: ['pushStartedAt', 'pushClaim', 'sim', 'isSimChosen', 'simReservation'] },
      ],
      { updatePipeline: true },
    );
  }

  /**
   * Ends the attempts of messages of a pool that the caller has claimed for a device, and that it provably did not get. They
   * are due again, preferably for another device, and can be cancelled. Those whose cancellation was requested meanwhile are not
   * changed: the caller passes them to `releaseClaims` or `fail`.
   * @param attempt how it ended; absent if an ended attempt on this device is stored already: one is enough.
   * @returns how many.
   */
  async endAttempts(
    messages: readonly OwnedId[],
    device: Types.ObjectId,
    dueAt: Date,
    now: Date,
    attempt?: Pick<AttemptEnd, 'outcome' | 'code'>,
  ): Promise<number> {
    const result = await this.messages.updateMany(
      {
        ...byOwnedIds(messages),
        device,
        status: { $in: ['pending', 'dispatched'] },
        moveDueAt: { $exists: false },
        cancelRequestedAt: { $exists: false },
      },
      [
        ...(attempt
          ? endAttemptUpdate({ ...attempt, endedAt: now, moveDueAt: dueAt })
          : dueAgainUpdate(dueAt, now)),
        ...(attempt?.outcome === 'refused'
          ? []
          : [{ $set: { unavailableSince: { $ifNull: ['$unavailableSince', now] } } }]),
      ],
      { updatePipeline: true },
    );
    return result.modifiedCount;
  }

  /** Fails messages that the caller has claimed, if they are still pending, and raises their event. @returns how many. */
  async fail(messages: readonly OwnedId[], errorCode: string, now: Date): Promise<number> {
    const result = await this.messages.updateMany(
      { ...byOwnedIds(messages), status: 'pending', pushStartedAt: { $exists: true } },
      failureUpdate(errorCode, now),
      { maxTimeMS: COUNTING_WRITE_TIMEOUT_MS },
    );
    return result.modifiedCount;
  }

  private async writeDispatched(requests: readonly DispatchedRequest[]): Promise<void> {
    const { now } = latestOf(requests);
    await this.messages.updateMany(
      byOwnedIds(requests.flatMap(({ messages }) => messages)),
      dispatchedUpdate(now),
      { updatePipeline: true },
    );
  }
}

const dispatchedUpdate = (now: Date) => [
  {
    $set: {
      dispatchedAt: { $ifNull: ['$dispatchedAt', now] },
      status: { $cond: [{ $eq: ['$status', 'pending'] }, 'dispatched', '$status'] },
      updatedAt: now,
    },
  },
  { $unset: ['pushStartedAt', 'pushClaim', 'unavailableSince'] },
];
