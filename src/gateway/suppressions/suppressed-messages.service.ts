import { setTimeout as wait } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type AccountScope, accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { byId, distinctIds } from '../../common/documents';
import { NumberKeys } from '../../consent/numbers/number-keys.service';
import { findStopping } from '../../consent/suppressions/suppression-rules';
import { SuppressionsRepository } from '../../consent/suppressions/suppressions.repository';
import type { Batch } from '../../messages/batch.schema';
import { BatchesRepository } from '../../messages/batches.repository';
import type { OutgoingMessage } from '../../messages/message.schema';
import { BatchChanging } from '../../messages/messages.errors';
import { CancellationRunner } from '../cancellation/cancellation-runner.service';
import { type CancelRequest, CancellationService } from '../cancellation/cancellation.service';
import { type PendingMessage, SuppressedMessagesRepository } from './suppressed-messages.repository';

const MESSAGES_PER_PAGE = 500;

/** A batch is being rescheduled for some milliseconds, unless its process has died. */
const MAX_ATTEMPTS = 10;
const RETRY_MS = 200;

/**
 * Fails messages to blocked numbers, refunded to the plan. Once `failPending` has returned, nothing is claimed for the number that the
 * block stops:
 *
 * - The block is stored before. A worker reads the blocks after it has read which messages are due, and from the primary, so a message
 *   that it reads as due since then is stopped by `withoutSuppressed`.
 * - What it has read as due before was stored and accepted by then, so `failPending` finds it: either unclaimed, and fails it, after which
 *   no claim succeeds and no stream takes it; or claimed for a push that has begun.
 * - If that push does not succeed, the message is due again. A worker that has read it before that push cannot claim it any more, because
 *   claims need that the message has not been claimed since it was read; one that reads it again finds the block.
 */
@Injectable()
export class SuppressedMessages {
  constructor(
    private readonly messages: SuppressedMessagesRepository,
    private readonly batches: BatchesRepository,
    private readonly suppressions: SuppressionsRepository,
    private readonly keys: NumberKeys,
    private readonly runner: CancellationRunner,
    private readonly cancellation: CancellationService,
    private readonly clock: Clock,
  ) {}

  /**
   * Fails those of these due messages whose recipients are blocked.
   * @param due messages that no worker has claimed. @returns the others.
   */
  async withoutSuppressed(
    batch: Batch,
    due: readonly OutgoingMessage[],
  ): Promise<readonly OutgoingMessage[]> {
    if (!batch.checksConsent) return due;
    const account = accountScope(batch.user);
    const keys = await this.keys.keysOf(
      account,
      due.map(({ peerNumber }) => peerNumber),
    );
    const blocks = await this.suppressions.findOfNumbers(account, [...new Set(keys)]);
    if (blocks.size === 0) return due;
    const now = this.clock.now();
    const isStopped = due.map((_, index) =>
      Boolean(findStopping(blocks.get(keys[index] ?? '') ?? [], batch, now)),
    );
    const stopped = due.filter((_, index) => isStopped[index]);
    if (stopped.length > 0) await this.runner.suppress(account, stopped, now);
    return due.filter((_, index) => !isStopped[index]);
  }

  /**
   * Fails the messages to a number that wait on the server and that its blocks stop. Repeatable.
   * @throws BatchChanging if one of their batches is being rescheduled for longer than usual.
   */
  async failPending(account: AccountScope, number: string): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const { foundCount, failedCount } = await this.failFound(account, number);
      if (failedCount === foundCount) return;
      // The others were claimed or failed meanwhile, or are being rescheduled.
      if (attempt > 1) await wait(RETRY_MS);
    }
    throw new BatchChanging();
  }

  /**
   * Asks phones not to send the messages to a number that they were handed and that its blocks stop: a request, which comes too late for what
   * they have sent. @returns what to tell the phones.
   */
  async recall(account: AccountScope, number: string): Promise<CancelRequest[]> {
    const handed = await this.messages.listHandedOver(account, number, MESSAGES_PER_PAGE);
    if (handed.length === 0) return [];
    const key = await this.keys.keyOf(account, number);
    const blocks = (await this.suppressions.findOfNumbers(account, [key])).get(key) ?? [];
    const ids = distinctIds(handed.map(({ smsBatch }) => smsBatch));
    const batches = byId(await this.batches.listDeclared(account, ids));
    const now = this.clock.now();
    const stopped = handed.filter(({ smsBatch }) => {
      const batch = batches.get(smsBatch.toHexString());
      return batch && findStopping(blocks, batch, now);
    });
    return this.cancellation.recall(account, stopped);
  }

  /** Fails what waits for a number, and asks phones for what they have. Repeatable. @throws BatchChanging */
  async withdraw(account: AccountScope, number: string): Promise<void> {
    await this.failPending(account, number);
    await this.cancellation.pushRequests(await this.recall(account, number));
  }

  private async failFound(account: AccountScope, number: string) {
    const key = await this.keys.keyOf(account, number);
    const blocks = (await this.suppressions.findOfNumbers(account, [key])).get(key) ?? [];
    let [foundCount, failedCount] = [0, 0];
    let after: PendingMessage | undefined;
    do {
      const page = await this.messages.listPending(account, number, after, MESSAGES_PER_PAGE);
      const ids = distinctIds(page.map(({ smsBatch }) => smsBatch));
      const batches = byId(ids.length > 0 ? await this.batches.listDeclared(account, ids) : []);
      const now = this.clock.now();
      const stopped = page.filter(({ smsBatch }) => {
        const batch = batches.get(smsBatch.toHexString());
        // Messages of other batches are stopped when they are due.
        return batch?.acceptance === 'accepted' && findStopping(blocks, batch, now);
      });
      foundCount += stopped.length;
      if (stopped.length > 0) failedCount += await this.runner.suppress(account, stopped, now);
      after = page.length < MESSAGES_PER_PAGE ? undefined : page.at(-1);
    } while (after);
    return { foundCount, failedCount };
  }
}
