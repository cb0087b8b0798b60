import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { Batch, type BatchChange, VISIBLE_BATCH } from '../../messages/batch.schema';

/** A batch whose change the caller makes. */
export type ChangingBatch = Batch & Required<Pick<Batch, 'change'>>;

/** The changes that callers ask for, with the state in which a batch takes them. */
const STARTS = {
  pause: { pausedAt: { $exists: false } },
  resume: { pausedAt: { $exists: true } },
  reschedule: { cancellingSince: { $exists: false } },
} as const;

export type RequestedChange = BatchChange & { readonly kind: keyof typeof STARTS };

/** Writes of changes to batches. Each needs that the caller still has the change. */
@Injectable()
export class BatchChangesRepository {
  constructor(
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
    private readonly hints: LiveHints,
  ) {}

  /**
   * Starts a change. From then on the batch counts as paused or resumed.
   * @returns null if another change is in progress, or the state of the batch does not allow this one.
   */
  async start(
    account: AccountScope,
    id: Types.ObjectId,
    change: RequestedChange,
  ): Promise<ChangingBatch | null> {
    const { since: now } = change;
    const started = await this.batches
      .findOneAndUpdate(
        { _id: id, user: account.user, ...VISIBLE_BATCH, change: { $exists: false }, ...STARTS[change.kind] },
        {
          $set: { change, updatedAt: now, ...(change.kind === 'pause' && { pausedAt: now }) },
          ...(change.kind === 'resume' && { $unset: { pausedAt: 1 } }),
        },
        { returnDocument: 'after' },
      )
      .lean<ChangingBatch>();
    if (started) this.hints.publish(started, 'batch', [id]);
    return started;
  }

  /** Takes over a change whose process does not continue it. @returns null if another process has it by now. */
  takeOver(batch: ChangingBatch, now: Date): Promise<ChangingBatch | null> {
    return this.setIn(batch, { 'change.since': now });
  }

  /**
   * Turns a change into its next step, which starts now, together with what it stores.
   * @returns null if another process has it by now.
   */
  proceed(
    batch: ChangingBatch,
    kind: BatchChange['kind'],
    now: Date,
    fields: Partial<Pick<Batch, 'groups' | 'chargedDays' | 'estimatedCompletionAt'>> = {},
  ): Promise<ChangingBatch | null> {
    return this.setIn(batch, { ...fields, 'change.kind': kind, 'change.since': now });
  }

  async moveGroup({ _id, user, change }: ChangingBatch, group: number, startAt: Date): Promise<void> {
    await this.batches.updateOne(
      { _id, user, ...heldBy(change) },
      { $set: { [`groups.${group}.startAt`]: startAt } },
    );
  }

  async finish(
    { _id, user, change }: ChangingBatch,
    fields: Pick<Batch, 'estimatedCompletionAt'> = {},
  ): Promise<void> {
    await this.batches.updateOne({ _id, user, ...heldBy(change) }, { $set: fields, $unset: { change: 1 } });
    this.hints.publish({ user }, 'batch', [_id]);
    this.hints.publish({ user }, 'message');
  }

  /** Lists batches of any account with a change in progress since `since`. */
  listInterrupted(since: Date, limit: number): Promise<ChangingBatch[]> {
    return this.batches
      .find({ 'change.since': atOrBefore(since) })
      .sort({ 'change.since': 1 })
      .limit(limit)
      .lean<ChangingBatch[]>();
  }

  private setIn({ _id, user, change }: ChangingBatch, fields: object): Promise<ChangingBatch | null> {
    return this.batches
      .findOneAndUpdate({ _id, user, ...heldBy(change) }, { $set: fields }, { returnDocument: 'after' })
      .lean<ChangingBatch>();
  }
}

const heldBy = ({ id, since }: BatchChange) => ({ 'change.id': id, 'change.since': since });
