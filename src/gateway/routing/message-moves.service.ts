import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { Clock } from '../../common/clock';
import { distinctIds, idsOf } from '../../common/documents';
import { groupBy } from '../../common/group-by';
import type { Device } from '../../devices/store/device.schema';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { BatchesRepository } from '../../messages/batches.repository';
import { DispatchQueue } from '../waves/dispatch.queue';
import { type Move, MessageMovesRepository, type WaitingMessage } from './message-moves.repository';

/** Messages that are moved together. */
const MESSAGES_PER_STEP = 500;

/** A phone that has replaced another may have been replaced itself. */
const MAX_REPLACEMENTS = 10;

export interface MoveProgress {
  readonly movedCount: number;
  /** Whether nothing is left that could be moved. */
  readonly isComplete: boolean;
}

/** Moves messages that no phone was handed to another phone, which sends them like its own. */
@Injectable()
export class MessageMoves {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly batches: BatchesRepository,
    private readonly messages: MessageMovesRepository,
    private readonly queue: DispatchQueue,
    private readonly hints: LiveHints,
    private readonly turns: AccountTurns,
    private readonly clock: Clock,
  ) {}

  /** The phone that a deleted one was replaced by, or the one that replaces that; undefined if there is none. */
  async replacementOf(account: AccountScope, id: Types.ObjectId): Promise<Device | undefined> {
    let [device] = await this.devices.findMany(account, [id]);
    for (let count = 0; count < MAX_REPLACEMENTS && device?.deletedAt && device.replacedBy; count += 1)
      [device] = await this.devices.findMany(account, [device.replacedBy]);
    return device && !device.deletedAt && !device._id.equals(id) ? device : undefined;
  }

  /** Moves what waits for a phone to another one, up to a number of messages. */
  async moveWaiting(
    account: AccountScope,
    from: Types.ObjectId,
    to: Device,
    { limit, leavesPool = false }: { readonly limit: number; readonly leavesPool?: boolean },
  ): Promise<MoveProgress> {
    const doPart = this.turns.parts(account);
    let movedCount = 0;
    let after: WaitingMessage | undefined;
    for (let readCount = 0; readCount < limit; readCount += MESSAGES_PER_STEP) {
      const page = Math.min(MESSAGES_PER_STEP, limit - readCount);
      const found = await this.messages.listWaiting(account, from, to, after, page);
      movedCount += await doPart(() => this.move(account, found, { from, to, leavesPool }));
      if (found.length < page) return { movedCount, isComplete: true };
      after = found.at(-1);
    }
    return { movedCount, isComplete: false };
  }

  /** Moves messages, unless they were handed over meanwhile. @returns how many. */
  async move(
    account: AccountScope,
    messages: readonly Pick<WaitingMessage, '_id' | 'smsBatch' | 'wave'>[],
    { from, to, leavesPool }: Omit<Move, 'ids'>,
  ): Promise<number> {
    if (messages.length === 0) return 0;
    // First, so that a batch is found under each phone that has a message of it.
    const batches = distinctIds(messages.map(({ smsBatch }) => smsBatch));
    await this.batches.addDevice(account, batches, to._id);
    const ids = idsOf(messages);
    const movedCount = await this.messages.move(account, { ids, from, to, leavesPool }, this.clock.now());
    if (movedCount === 0) return 0;
    this.hints.publish(account, 'message', ids);
    const dueAt = this.clock.now();
    const waves = groupBy(messages, ({ smsBatch, wave }) => `${smsBatch.toHexString()} ${wave}`);
    await this.queue.enqueue(
      [...waves.values()].flatMap(([first]) =>
        first ? [{ user: account.user, batch: first.smsBatch, wave: first.wave ?? 0, dueAt }] : [],
      ),
    );
    return movedCount;
  }
}
