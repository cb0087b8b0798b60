import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { Clock } from '../../common/clock';
import { distinctIds } from '../../common/documents';
import { FieldErrors, ValidationFailed } from '../../common/errors';
import { KeyedQueue } from '../../common/keyed-queue';
import { lowestFreeSlot } from '../../common/lowest-free-slot';
import { foldText } from '../../common/text/fold-text';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { MAX_LISTS_PER_ACCOUNT } from '../store/contact-limits';
import { ContactPagesRepository } from '../store/contact-pages.repository';
import { ListIsSegment, ListLimitReached, ListNotFound } from '../store/contact.errors';
import type { ContactList, SegmentCondition } from './contact-list.schema';
import { ContactListsRepository } from './contact-lists.repository';
import { ListMembersRepository } from './list-members.repository';
import { membersOf } from './members-of';

/** Members are counted up to this number. */
export const MAX_MEMBER_COUNT = 10_000;

export interface ContactListView {
  readonly list: ContactList;
  /** Up to `MAX_MEMBER_COUNT`. */
  readonly memberCount: number;
}

export interface ContactListInput {
  readonly name: string;
  /** Makes it a segment. */
  readonly segment?: SegmentCondition;
}

/** The lists of contacts of an account. */
@Injectable()
export class ContactLists {
  private readonly creations = new KeyedQueue();

  constructor(
    private readonly lists: ContactListsRepository,
    private readonly members: ListMembersRepository,
    private readonly pages: ContactPagesRepository,
    private readonly turns: AccountTurns,
    private readonly hints: LiveHints,
    private readonly clock: Clock,
  ) {}

  /** The lists by name. */
  async list(account: AccountScope): Promise<ContactListView[]> {
    const views: ContactListView[] = [];
    for (const list of await this.lists.list(account)) {
      // One after the other, because all of them may have many members.
      if (!list.deletedAt) views.push(await this.view(account, list));
    }
    return views;
  }

  /** @throws ListNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<ContactListView> {
    return this.view(account, await this.find(account, id));
  }

  /** @throws ListLimitReached, ValidationFailed for a name that is taken. */
  async create(account: AccountScope, input: ContactListInput): Promise<ContactListView> {
    return this.creations.run(account.user.toHexString(), async () => {
      for (;;) {
        const known = await this.lists.list(account);
        const nameKey = foldText(input.name);
        if (known.some((list) => list.nameKey === nameKey)) throw nameTaken();
        const slot = lowestFreeSlot(
          known.map((list) => list.slot),
          MAX_LISTS_PER_ACCOUNT,
        );
        if (slot === undefined) throw new ListLimitReached();
        const now = this.clock.now();
        const { user } = account;
        const list = {
          _id: new Types.ObjectId(),
          user,
          ...input,
          nameKey,
          slot,
          createdAt: now,
          updatedAt: now,
        };
        if (await this.lists.insert(list)) {
          this.hints.publish(account, 'list', [list._id]);
          return this.view(account, list);
        }
        // Another process took the name or the slot.
      }
    });
  }

  /** Changes what is given. @throws ListNotFound, ValidationFailed */
  async update(
    account: AccountScope,
    id: Types.ObjectId,
    { name, segment }: Partial<ContactListInput>,
  ): Promise<ContactListView> {
    const before = await this.find(account, id);
    if (segment && !before.segment)
      throw ValidationFailed.of('segment', 'must be omitted: contacts are added to this list');
    const patch = {
      ...(name !== undefined && { name, nameKey: foldText(name) }),
      ...(segment && { segment }),
    };
    const updated = await this.lists.update(account, id, patch, this.clock.now());
    if (updated === 'taken') throw nameTaken();
    if (!updated) throw new ListNotFound();
    this.hints.publish(account, 'list', [id]);
    return this.view(account, updated);
  }

  /** Deletes a list; its members stay contacts. @throws ListNotFound */
  async remove(account: AccountScope, id: Types.ObjectId): Promise<void> {
    if (!(await this.lists.hide(account, id, this.clock.now()))) throw new ListNotFound();
    this.hints.publish(account, 'list', [id]);
    await this.completeRemoval(account, id);
  }

  /** @throws ListNotFound, ListIsSegment, ValidationFailed for ids that are no contacts of the account. */
  async addMembers(
    account: AccountScope,
    id: Types.ObjectId,
    contacts: readonly Types.ObjectId[],
  ): Promise<ContactListView> {
    await this.findWithMembers(account, id);
    const ids = distinctIds(contacts);
    const known = new Set((await this.members.findKnown(account, ids)).map(String));
    const errors = new FieldErrors();
    for (const [index, contact] of contacts.entries())
      if (!known.has(contact.toHexString()))
        errors.add(`contactIds.${index}`, 'is not a contact of the account');
    errors.throwIfAny();
    await this.members.add(account, id, ids, this.clock.now());
    // It may have been deleted meanwhile.
    if (!(await this.lists.find(account, id))) await this.members.remove(account, id, ids, this.clock.now());
    return this.changed(account, id);
  }

  /** Ids that are no members are ignored. @throws ListNotFound, ListIsSegment */
  async removeMembers(
    account: AccountScope,
    id: Types.ObjectId,
    contacts: readonly Types.ObjectId[],
  ): Promise<ContactListView> {
    await this.findWithMembers(account, id);
    await this.members.remove(account, id, distinctIds(contacts), this.clock.now());
    return this.changed(account, id);
  }

  /** Completes deletions that were interrupted. Safe to run in several processes at the same time. */
  async recoverAll(account: AccountScope): Promise<void> {
    for (const { _id, deletedAt } of await this.lists.list(account))
      if (deletedAt) await this.completeRemoval(account, _id);
  }

  private async completeRemoval(account: AccountScope, id: Types.ObjectId): Promise<void> {
    const doPart = this.turns.parts(account);
    while (await doPart(() => this.members.removeSome(account, id, this.clock.now())));
    await this.lists.removeHidden(account, id);
    this.hints.publish(account, 'contact');
  }

  private changed(account: AccountScope, id: Types.ObjectId): Promise<ContactListView> {
    this.hints.publish(account, 'list', [id]);
    this.hints.publish(account, 'contact');
    return this.get(account, id);
  }

  private async find(account: AccountScope, id: Types.ObjectId): Promise<ContactList> {
    const found = await this.lists.find(account, id);
    if (!found) throw new ListNotFound();
    return found;
  }

  private async findWithMembers(account: AccountScope, id: Types.ObjectId): Promise<void> {
    if ((await this.find(account, id)).segment) throw new ListIsSegment();
  }

  private async view(account: AccountScope, list: ContactList): Promise<ContactListView> {
    return { list, memberCount: await this.pages.count(account, membersOf(list), MAX_MEMBER_COUNT) };
  }
}

const nameTaken = () => ValidationFailed.of('name', 'is that of another list of the account');
