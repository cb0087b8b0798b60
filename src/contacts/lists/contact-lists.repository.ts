import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { idsOf } from '../../common/documents';
import { ifDuplicate, insertUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { ContactList } from './contact-list.schema';

export type ContactListPatch = Partial<Pick<ContactList, 'name' | 'nameKey' | 'segment'>>;

const SHOWN = { deletedAt: { $exists: false } } as const;

@Injectable()
export class ContactListsRepository {
  constructor(@InjectModel(ContactList.name) private readonly lists: Model<ContactList>) {}

  /** The lists of the account by name, and those that are being deleted. */
  list({ user }: AccountScope): Promise<ContactList[]> {
    return this.lists.find({ user }).sort({ nameKey: 1 }).lean<ContactList[]>();
  }

  find({ user }: AccountScope, id: Types.ObjectId): Promise<ContactList | null> {
    return this.lists.findOne({ _id: id, user, ...SHOWN }).lean<ContactList>();
  }

  /** @returns false if the account has a list with this name or slot. */
  insert(list: ContactList): Promise<boolean> {
    return insertUnlessDuplicate(this.lists, list);
  }

  /** @returns the list, null if there is none, `taken` if another one of the account has the name. */
  update(
    { user }: AccountScope,
    id: Types.ObjectId,
    patch: ContactListPatch,
    now: Date,
  ): Promise<ContactList | null | 'taken'> {
    return ifDuplicate('taken', () =>
      this.lists
        .findOneAndUpdate(
          { _id: id, user, ...SHOWN },
          { $set: { ...patch, updatedAt: now } },
          { returnDocument: 'after' },
        )
        .lean<ContactList>(),
    );
  }

  /** Hides a list, which frees its name. @returns false if there is no such list. */
  async hide({ user }: AccountScope, id: Types.ObjectId, now: Date): Promise<boolean> {
    const result = await this.lists.updateOne(
      { _id: id, user, ...SHOWN },
      { $set: { deletedAt: now, nameKey: id.toHexString(), updatedAt: now } },
    );
    return result.matchedCount === 1;
  }

  /** Removes a list that is hidden. */
  async removeHidden({ user }: AccountScope, id: Types.ObjectId): Promise<void> {
    await this.lists.deleteOne({ _id: id, user, deletedAt: { $exists: true } });
  }

  /** Those of these accounts that have lists that are being deleted. */
  async listUsersWithHidden(users: readonly Types.ObjectId[]): Promise<Types.ObjectId[]> {
    return idsOf(
      await this.lists.aggregate<Pick<ContactList, '_id'>>([
        { $match: { user: { $in: users }, deletedAt: { $exists: true } } },
        { $group: { _id: '$user' } },
      ]),
    );
  }
}
