import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../../infrastructure/mongo/duplicate-key';
import { Round } from './round.schema';

/** A process's turn at a round. */
export interface Turn extends Round {
  heldBy: Types.ObjectId;
}

@Injectable()
export class RoundsRepository {
  constructor(@InjectModel(Round.name) private readonly rounds: Model<Round>) {}

  /** Begins the record of a round; nothing happens when there is one. */
  async begin(name: string, dueAt: Date): Promise<void> {
    try {
      await this.rounds.insertMany([{ _id: name, dueAt }], { lean: true });
    } catch (failure) {
      if (!isDuplicateKey(failure)) throw failure;
    }
  }

  /** @returns null when the round is not due, or somebody else is at it. */
  take(name: string, until: Date, now: Date): Promise<Turn | null> {
    return this.rounds
      .findOneAndUpdate(
        { _id: name, dueAt: { $lte: now }, heldUntil: { $not: { $gt: now } } },
        { $set: { heldBy: new Types.ObjectId(), heldUntil: until } },
        { returnDocument: 'after' },
      )
      .lean<Turn>();
  }

  /** Notes how far the round has come. @returns false when the turn was lost. */
  async advance({ _id, heldBy }: Turn, after: Types.ObjectId, until: Date): Promise<boolean> {
    const result = await this.rounds.updateOne({ _id, heldBy }, { $set: { after, heldUntil: until } });
    return result.matchedCount === 1;
  }

  /** Gives the turn up; the next one goes on from where this one came to. */
  async leave({ _id, heldBy }: Turn): Promise<void> {
    await this.rounds.updateOne({ _id, heldBy }, { $unset: { heldBy: 1, heldUntil: 1 } });
  }

  /** The round is done. One that was hastened meanwhile is due again at once. */
  async finish({ _id, heldBy, dueAt }: Turn, nextDueAt: Date): Promise<void> {
    await this.rounds.updateOne(
      { _id, heldBy },
      [
        { $set: { dueAt: { $cond: [{ $eq: ['$dueAt', dueAt] }, nextDueAt, '$dueAt'] } } },
        { $unset: ['heldBy', 'heldUntil', 'after'] },
      ],
      { updatePipeline: true },
    );
  }

  /** From their beginning: what a round has passed already may be wrong by now, and whoever had a turn may be dead. */
  async hastenAll(now: Date): Promise<void> {
    await this.rounds.updateMany({}, { $set: { dueAt: now }, $unset: { heldBy: 1, heldUntil: 1, after: 1 } });
  }
}
