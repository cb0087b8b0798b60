import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AccountScope } from '../../../auth/account-scope';
import { Clock } from '../../../common/clock';
import { forEachInSlices } from '../../../common/slices';
import { Batch } from '../../../messages/batch.schema';
import { BatchesRepository } from '../../../messages/batches.repository';
import { ACCEPTANCE_TIMEOUT_MS, SendRollbackService } from './send-rollback.service';
import { IdempotencyKeyReused } from '../../send-input/send.errors';
import type { SendInput } from '../../send-input/send-input';

const POLL_INTERVAL_MS = 50;

/** An idempotency key and the hash of the request it was used for. */
export interface IdempotentRequest {
  readonly key: string;
  readonly hash: string;
}

/** As in an array. */
const toJson = (value: unknown): string => JSON.stringify(value ?? null);

/** Hashes a send request independently of the order of its fields. */
export async function idempotentRequest(key: string, input: SendInput): Promise<IdempotentRequest> {
  const { entries, entriesField, deviceId, poolId, messageTemplate, options = {} } = input;
  const { priority, validUntil, validForSeconds, quietHours, purpose, topic, onInvalidNumber } = options;
  const given = {
    poolId,
    priority,
    validUntil,
    validForSeconds,
    ...(quietHours && { quietHours: [quietHours.from, quietHours.to] }),
    ...{ purpose, topic, onInvalidNumber },
  };
  // The JSON of one array, made in parts. Batches store its hash, so it must not change.
  const hash = createHash('sha256').update(
    `[${[entriesField, deviceId, messageTemplate].map(toJson).join(',')},[`,
  );
  let separator = '';
  await forEachInSlices(entries, (entry) => {
    const fields = [
      entry.message,
      entry.smsBody,
      entry.recipients,
      entry.receivers,
      entry.simSubscriptionId,
      entry.scheduledAt,
      // Omitted when absent, as in the hashes that are stored.
      ...(entry.encryptedMessage === undefined ? [] : [entry.encrypted, entry.encryptedMessage]),
    ];
    hash.update(separator + toJson(fields));
    separator = ',';
  });
  // Omitted when absent, for the same reason.
  const isPlain = Object.values(given).every((option) => option === undefined);
  hash.update(isPlain ? ']]' : `],${toJson(given)}]`);
  return { key, hash: hash.digest('hex') };
}

/** Looks up requests by idempotency key. The batch stores the key; there is no separate record. */
@Injectable()
export class IdempotencyService {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly rollback: SendRollbackService,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the batch of the original request with this key; waits while it is being accepted.
   * @returns null if there is none, or if it was rolled back.
   * @throws IdempotencyKeyReused if the key was used for a different request.
   */
  async findOriginalBatch(account: AccountScope, request: IdempotentRequest): Promise<Batch | null> {
    for (;;) {
      const original = await this.batches.findByIdempotencyKey(account, request.key);
      if (!original) return null;
      if (original.requestHash !== request.hash) throw new IdempotencyKeyReused();
      if (original.acceptance === 'accepted') return original;
      const ageMs = this.clock.now().getTime() - original.createdAt.getTime();
      if (ageMs > ACCEPTANCE_TIMEOUT_MS) await this.rollback.abandon(original);
      else await sleep(POLL_INTERVAL_MS);
    }
  }
}
