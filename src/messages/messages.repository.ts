import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Gathering } from '../common/gathering';
import { causingRequest } from '../common/log-ids';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { insertEach, writeEach } from '../common/persistence/write-each';
import { Message } from './message.schema';
import type { MessageStatus } from './message-status';
import { reportUpdate } from './report-update';
import type { ReadReport } from './status-report';

/** The messages a phone may be offered, by when their offer ends. */
export interface OfferWindow {
  readonly endsAfter: Date;
  readonly endsBy: Date;
}

export interface AppliedReport {
  readonly hasMoved: boolean;
  readonly isNewlyCounted: boolean;
}

interface ReportOn {
  readonly user: Types.ObjectId;
  readonly device: Types.ObjectId;
  readonly id: Types.ObjectId;
  readonly report: ReadReport;
  readonly now: Date;
  readonly cause: ReturnType<typeof causingRequest>;
}

/** What can be reported on. To reports a message is gone once it is being removed. */
const REPORTABLE = { direction: 'sent', removal: { $exists: false } } as const;

const placeOf = ({ user, device, id }: Pick<ReportOn, 'user' | 'device' | 'id'>): string =>
  [user, device, id].map(String).join(' ');

/** So many messages of one send are stored together with those of others. */
const FEW = 20;

/** Messages as their owner and their phone see them. What dispatch does to them is in the dispatch repository. */
@Injectable()
export class MessagesRepository {
  private readonly fewAtOnce = new Gathering(async (asked: readonly (readonly Message[])[]) => {
    const faults = await insertEach(this.messages, asked.flat());
    let end = 0;
    return asked.map(({ length }) => {
      const fault = faults.slice(end, (end += length)).find((one) => one);
      return fault && Promise.reject(fault);
    });
  });

  private readonly reports = new Gathering<ReportOn, AppliedReport | null>((asked) =>
    this.applyReports(asked),
  );

  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** Stores messages; their ids were made beforehand. */
  async insert(messages: Message[]): Promise<void> {
    if (messages.length <= FEW) return this.fewAtOnce.ask(messages);
    const fault = (await insertEach(this.messages, messages)).find((one) => one);
    if (fault) throw fault;
  }

  /** Stores an incoming message. @returns the one stored before when it is the same upload. */
  async insertReceived(
    account: AccountScope,
    message: Message & { fingerprint: string },
  ): Promise<{ stored: boolean; id: Types.ObjectId }> {
    try {
      await this.messages.insertMany([message], { lean: true });
      return { stored: true, id: message._id };
    } catch (failure) {
      if (!isDuplicateKey(failure)) throw failure;
      const known = await this.messages
        .findOne({ user: account.user, device: message.device, fingerprint: message.fingerprint }, { _id: 1 })
        .lean<Pick<Message, '_id'>>();
      if (!known) throw failure;
      return { stored: false, id: known._id };
    }
  }

  find(account: AccountScope, device: Types.ObjectId, id: Types.ObjectId): Promise<Message | null> {
    return this.messages.findOne({ _id: id, user: account.user, device }).lean<Message>();
  }

  /** A batch's messages in the order of its recipients (at most 10,000). */
  listOfBatch(account: AccountScope, batch: Types.ObjectId): Promise<Message[]> {
    return this.messages
      .find({ smsBatch: batch, user: account.user })
      .sort({ wave: 1, _id: 1 })
      .lean<Message[]>();
  }

  /**
   * Applies a phone's report in one write.
   * @returns whether it moved the message, and whether that counts in the device's total from now on; null when the device
   * has no such message.
   */
  applyReport(
    account: AccountScope,
    device: Types.ObjectId,
    id: Types.ObjectId,
    report: ReadReport,
    now: Date,
  ): Promise<AppliedReport | null> {
    return this.reports.ask({ user: account.user, device, id, report, now, cause: causingRequest() });
  }

  /** Notes that the phone has these messages, and stops offering them. */
  async acknowledge(
    account: AccountScope,
    device: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
  ): Promise<number> {
    const result = await this.messages.updateMany(
      { _id: { $in: ids }, user: account.user, device, direction: 'sent' },
      [{ $set: { pushReceivedAt: { $ifNull: ['$pushReceivedAt', now] } } }, { $unset: 'offerUntil' }],
      { updatePipeline: true },
    );
    return result.matchedCount;
  }

  /** What a phone was handed but has neither acknowledged nor reported, oldest first. */
  listOffered(device: Types.ObjectId, window: OfferWindow, limit: number): Promise<Message[]> {
    return this.messages.find(offered(device, window)).sort({ offerUntil: 1 }).limit(limit).lean<Message[]>();
  }

  countOffered(device: Types.ObjectId, window: OfferWindow): Promise<number> {
    return this.messages.countDocuments(offered(device, window));
  }

  /** In one write for all, each decided on its own; then it is read what became of them. */
  private async applyReports(asked: readonly ReportOn[]) {
    const by = new Types.ObjectId();
    const faults = await writeEach(
      this.messages,
      asked.map((one) => ({
        updateOne: {
          filter: { ...REPORTABLE, _id: one.id, user: one.user, device: one.device },
          update: reportUpdate(one.report, one.now, one.cause, by),
        },
      })),
    );
    const found = await this.messages
      .find({ ...REPORTABLE, _id: { $in: asked.map(({ id }) => id) } }, { user: 1, device: 1, lastMove: 1 })
      .lean<Pick<Message, '_id' | 'user' | 'device' | 'lastMove'>[]>();
    const moves = new Map(
      found.map(({ _id, user, device, lastMove }) => [placeOf({ user, device, id: _id }), lastMove]),
    );
    return asked.map((one, index) => {
      const fault = faults[index];
      if (fault) return Promise.reject(fault);
      const place = placeOf(one);
      if (!moves.has(place)) return null;
      const move = moves.get(place);
      const hasMoved = move?.by.equals(by) ?? false;
      const isNewlyCounted = hasMoved && move?.counts === true;
      // Two reports on one message count it once.
      if (isNewlyCounted) moves.set(place, { by, counts: false });
      return { hasMoved, isNewlyCounted };
    });
  }
}

function offered(device: Types.ObjectId, { endsAfter, endsBy }: OfferWindow) {
  return {
    device,
    offerUntil: { $gt: endsAfter, $lte: endsBy },
    // Pending is what is being pushed at this moment.
    status: { $in: ['pending', 'dispatched', 'unknown'] as MessageStatus[] },
  };
}
