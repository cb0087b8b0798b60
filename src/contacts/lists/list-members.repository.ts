import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { idsOf } from '../../common/documents';
import { Contact } from '../store/contact.schema';
import { SHOWN } from '../store/contacts.repository';

/** Members that are removed with one command. */
const PART_SIZE = 1_000;

/** Writes which contacts are members of a list. */
@Injectable()
export class ListMembersRepository {
  constructor(@InjectModel(Contact.name) private readonly contacts: Model<Contact>) {}

  /** Those of the ids that are contacts of the account. */
  async findKnown({ user }: AccountScope, ids: readonly Types.ObjectId[]): Promise<Types.ObjectId[]> {
    return idsOf(
      await this.contacts.find({ _id: { $in: ids }, user, ...SHOWN }, { _id: 1 }).lean<Contact[]>(),
    );
  }

  /** Repeatable. */
  async add(
    { user }: AccountScope,
    list: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
  ): Promise<void> {
    await this.contacts.updateMany(
      { _id: { $in: ids }, user, lists: { $ne: list }, ...SHOWN },
      { $push: { lists: list }, $inc: { version: 1 }, $set: { updatedAt: now } },
    );
  }

  /** Repeatable. */
  async remove(
    { user }: AccountScope,
    list: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
  ): Promise<void> {
    await this.contacts.updateMany(
      { _id: { $in: ids }, user, lists: list },
      { $pull: { lists: list }, $inc: { version: 1 }, $set: { updatedAt: now } },
    );
  }

  /** Removes the first members of a list. @returns whether there may be more. */
  async removeSome(account: AccountScope, list: Types.ObjectId, now: Date): Promise<boolean> {
    const { user } = account;
    const members = await this.contacts
      .find({ user, lists: list }, { _id: 1 })
      .limit(PART_SIZE)
      .lean<Contact[]>();
    if (members.length > 0) await this.remove(account, list, idsOf(members), now);
    return members.length === PART_SIZE;
  }
}
