import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { accountScope, type AccountScope } from '../../auth/account-scope';
import { coalescedWrites } from '../../common/coalescer';
import { Clock } from '../../common/clock';
import { SECOND_MS } from '../../common/durations';
import { formatError } from '../../common/format-error';
import { DevicesRepository } from '../../devices/store/devices.repository';
import type { OwnedId } from '../../infrastructure/mongo/owned-ids';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { type Batch, isBulk } from '../batch.schema';
import type { Position } from '../lists/message-cursor';
import { showsMessages } from '../shown-devices';
import type { Conversation } from './conversation.schema';
import { changesOf, conversationKey, FIRST_ID, headOf } from './conversation-update';
import { ConversationsRepository } from './conversations.repository';
import { type Additions, ConversationMessagesRepository } from './conversation-messages.repository';

/** A scheduler adds what the process that stored it has not added within this time. */
const OVERDUE_MS = 10 * SECOND_MS;

/** A conversation is refreshed this long after a deletion or its creation marked it: longer than the deletion and a merge take. */
export const REFRESH_DELAY_MS = 30 * SECOND_MS;

const RETRY_MS = 60 * SECOND_MS;
const MERGE_TIMEOUT_MS = 10 * SECOND_MS;

/** How much later a message may be in its conversation, so that more are added with it. */
const ADDITION_DELAY_MS = 250;

const SWEEP_SIZE = 200;
const REFRESHES_AT_ONCE = 10;

interface Addition {
  readonly kind: keyof Additions;
  readonly document: OwnedId;
}

/**
 * Keeps the conversations in step with the messages.
 *
 * A write that stores messages also marks them as due to be added. The process that stored them adds them soon, in the
 * background; schedulers add what is overdue. Adding is repeatable and commutes. A deletion marks the conversations first, which
 * makes a scheduler read them again from their messages; one that is created is marked until it is known that its messages are still
 * stored. What a conversation shows is checked when it is read.
 */
@Injectable()
export class ConversationProjector {
  private readonly logger = new Logger(ConversationProjector.name);
  private readonly coalescer = coalescedWrites(
    async (additions: readonly Addition[]) => {
      const ofKind = (kind: keyof Additions) =>
        additions.filter((each) => each.kind === kind).map(({ document }) => document);
      await this.add({ messages: ofKind('messages'), batches: ofKind('batches') });
    },
    { lingerMs: ADDITION_DELAY_MS },
  );

  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly messages: ConversationMessagesRepository,
    private readonly devices: DevicesRepository,
    private readonly hints: LiveHints,
    private readonly clock: Clock,
  ) {}

  /** Adds a received message, in the background. Call after it is stored. Never throws. */
  addReceived(message: OwnedId): void {
    this.addSoon({ kind: 'messages', document: message });
  }

  /** Adds the messages of an accepted batch, in the background, unless it is bulk. Call after it is stored. Never throws. */
  addBatch(batch: Pick<Batch, '_id' | 'user' | 'recipientCount'>): void {
    if (!isBulk(batch)) this.addSoon({ kind: 'batches', document: batch });
  }

  /** Adds and refreshes what is overdue in all accounts. Safe to run in several processes at the same time. */
  async sweep(): Promise<void> {
    for (;;) {
      const now = this.clock.now();
      const retryAt = new Date(now.getTime() + RETRY_MS);
      const due = await this.messages.claimDue(new Date(now.getTime() - OVERDUE_MS), retryAt, SWEEP_SIZE);
      const found = due.messages.length + due.batches.length;
      if (found > 0) await this.add(due);
      const refreshed = await this.refreshDue(now, retryAt);
      if (Math.max(due.messages.length, due.batches.length, refreshed) < SWEEP_SIZE) return;
    }
  }

  /**
   * Reads a conversation again from its messages.
   * @returns null if it has none.
   */
  async refresh(account: AccountScope, number: string): Promise<Conversation | null> {
    const devices = await this.shownDevices(account);
    for (;;) {
      const before = await this.conversations.find(account, number);
      const found = await this.messages.findHead(account, number, devices);
      const head = found && headOf(found.last, found.received);
      // Repeated if it has changed meanwhile.
      if (await this.conversations.replace(account, number, before, head, this.clock.now())) break;
    }
    return this.conversations.find(account, number);
  }

  /**
   * Has a scheduler refresh the conversations with these numbers in `REFRESH_DELAY_MS`. Call before messages with them are deleted, and
   * afterwards `refresh`, or this again.
   */
  async expectDeletion(account: AccountScope, numbers: readonly string[]): Promise<void> {
    const at = new Date(this.clock.now().getTime() + REFRESH_DELAY_MS);
    await this.conversations.markDue(account, numbers, at);
  }

  /** Refreshes the conversations that show messages of devices that were deleted with their messages. */
  async refreshDeletedDevices(account: AccountScope): Promise<void> {
    const deleted = await this.devices.listDeletedWithMessages(account);
    if (deleted.length === 0) return;
    for (;;) {
      const found = await this.conversations.listOfDevices(account, deleted, SWEEP_SIZE);
      await this.refreshAll(found);
      if (found.length < SWEEP_SIZE) return;
    }
  }

  /** Refreshes the conversations whose newest message was created before a time. */
  async refreshBefore(account: AccountScope, before: Date): Promise<void> {
    let position: Position | undefined = { createdAt: before, id: FIRST_ID };
    while (position) {
      const found: Conversation[] = await this.conversations.listBefore(account, position, SWEEP_SIZE);
      await this.refreshAll(found);
      const last = found.at(-1);
      position = found.length === SWEEP_SIZE && last ? positionOf(last) : undefined;
    }
  }

  /** The devices whose messages are shown; undefined for all. */
  async shownDevices(account: AccountScope): Promise<Types.ObjectId[] | undefined> {
    const devices = await this.devices.findForMessages(account);
    const shown = devices.filter((device) => showsMessages(device, { includesDeletedDevices: true }));
    return shown.length < devices.length ? shown.map(({ _id }) => _id) : undefined;
  }

  async refreshAll(conversations: readonly Pick<Conversation, 'user' | 'number'>[]): Promise<void> {
    const waiting = [...conversations];
    const refreshNext = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop())
        await this.refresh(accountScope(next.user), next.number);
    };
    await Promise.all(Array.from({ length: REFRESHES_AT_ONCE }, refreshNext));
  }

  private addSoon(addition: Addition): void {
    this.coalescer.submit(addition).catch((failure: unknown) => {
      this.logger.warn(`Messages are added to their conversations later: ${formatError(failure)}`);
    });
  }

  /** @returns the number of conversations that were due. */
  private async refreshDue(now: Date, retryAt: Date): Promise<number> {
    const due = await this.conversations.claimDue(now, retryAt, SWEEP_SIZE);
    if (due.length === 0) return 0;
    await this.refreshAll(due);
    await this.conversations.finishDue(due, retryAt);
    return due.length;
  }

  private async add(additions: Additions): Promise<void> {
    const changes = changesOf(await this.messages.listPending(additions));
    const now = this.clock.now();
    const createdDueAt = new Date(now.getTime() + REFRESH_DELAY_MS);
    const options = { now, createdDueAt, maxTimeMs: MERGE_TIMEOUT_MS };
    const created = changes.length > 0 ? await this.conversations.merge(changes, options) : [];
    for (const change of changes) this.hints.publish(change, 'conversation');
    const areAllStored = await this.messages.finish(additions);
    if (created.length === 0) return;
    // A deletion after the messages were read found no conversation to refresh.
    const stored = areAllStored ? changes : changesOf(await this.messages.listPending(additions));
    const keys = new Set(stored.map(conversationKey));
    const isStored = (each: Conversation) => keys.has(conversationKey(each));
    await this.conversations.finishDue(created.filter(isStored), createdDueAt);
    await this.refreshAll(created.filter((each) => !isStored(each)));
  }
}

export const positionOf = ({ lastMessageAt, _id }: Conversation): Position => ({
  createdAt: lastMessageAt,
  id: _id,
});
