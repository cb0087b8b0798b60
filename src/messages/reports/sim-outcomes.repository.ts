import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { byOwnedIds, type OwnedId } from '../../infrastructure/mongo/owned-ids';
import { Message } from '../message.schema';

const FIELDS = {
  device: 1,
  sim: 1,
  simSubscriptionId: 1,
  attempts: 1,
  peerNumber: 1,
  status: 1,
  countedAt: 1,
  finalCountedAt: 1,
} as const;

/** What the outcome of a message says about its SIM. */
export interface SimOutcomeMessage extends Pick<
  Message,
  'device' | 'sim' | 'simSubscriptionId' | 'attempts' | 'status'
> {
  /** Empty if it was deleted. */
  readonly peerNumber: string;
  /** Of a delivered message: whether it was reported as sent before. */
  readonly wasSentFirst: boolean;
}

/** Reads reported messages of all accounts. */
@Injectable()
export class SimOutcomesRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  async findReported(reported: readonly OwnedId[]): Promise<Map<string, SimOutcomeMessage>> {
    const found = await this.messages.find(byOwnedIds(reported), FIELDS).lean<Message[]>();
    return new Map(
      found.map(({ _id, peerNumber, countedAt, finalCountedAt, ...message }) => [
        _id.toHexString(),
        { ...message, peerNumber, wasSentFirst: countedAt?.getTime() !== finalCountedAt?.getTime() },
      ]),
    );
  }
}
