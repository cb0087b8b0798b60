import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { Batch } from '../messages/batch.schema';
import { BatchesRepository } from '../messages/batches.repository';
import { ACCEPTING_LIMIT_MS, AbandonmentService } from './abandonment.service';
import { IdempotencyKeyReused } from './send.errors';
import { RawOrder } from './send-order';

const LOOK_AGAIN_MS = 50;

/** A key the client chose, and what it chose it for. */
export interface IdempotentRequest {
  readonly key: string;
  readonly hash: string;
}

/** Identifies a send request, whatever the order of its fields was. */
export function idempotentRequest(key: string, order: RawOrder): IdempotentRequest {
  const { entries, entriesField, deviceId, messageTemplate } = order;
  const content = JSON.stringify([
    entriesField,
    deviceId,
    messageTemplate,
    entries.map((entry) => [
      entry.message,
      entry.smsBody,
      entry.recipients,
      entry.receivers,
      entry.simSubscriptionId,
      entry.scheduledAt,
      // Left out where it is absent: such requests keep the hash they have always had.
      ...(entry.encryptedMessage === undefined ? [] : [entry.encrypted, entry.encryptedMessage]),
    ]),
  ]);
  return { key, hash: createHash('sha256').update(content).digest('hex') };
}

/** Finds what an earlier request under the same key has led to. The batch itself is the record. */
@Injectable()
export class IdempotentRequests {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly abandonment: AbandonmentService,
    private readonly clock: Clock,
  ) {}

  /**
   * The batch of an earlier request with this key; waits while that one is being accepted.
   * @returns null when there is none, or it came to nothing: the request is then the first.
   * @throws IdempotencyKeyReused when the earlier request was another one.
   */
  async findEarlier(account: AccountScope, request: IdempotentRequest): Promise<Batch | null> {
    for (;;) {
      const earlier = await this.batches.findByIdempotencyKey(account, request.key);
      if (!earlier) return null;
      if (earlier.requestHash !== request.hash) throw new IdempotencyKeyReused();
      if (earlier.acceptance === 'accepted') return earlier;
      const age = this.clock.now().getTime() - earlier.createdAt.getTime();
      if (age > ACCEPTING_LIMIT_MS) await this.abandonment.abandon(earlier);
      else await sleep(LOOK_AGAIN_MS);
    }
  }
}
