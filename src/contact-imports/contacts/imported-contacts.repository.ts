import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Contact, type ContactContent, type ImportStamp } from '../../contacts/store/contact.schema';
import { replacement } from '../../contacts/store/contacts.repository';
import { writeUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { Conversation } from '../../messages/conversations/conversation.schema';

/** A change of a contact; it is written only if nobody has changed the contact since it was read. */
export interface ContactReplacement {
  /** As it was read. */
  readonly before: Contact;
  readonly content: ContactContent;
  readonly imported: ImportStamp;
}

/** Writes contacts in large numbers. */
@Injectable()
export class ImportedContactsRepository {
  constructor(
    @InjectModel(Contact.name) private readonly contacts: Model<Contact>,
    @InjectModel(Conversation.name) private readonly conversations: Model<Conversation>,
  ) {}

  /**
   * Gives contacts another content, as `writeMany`.
   * @returns the ids of those that were changed meanwhile, or whose new numbers another contact has, and that are as they were.
   */
  async replaceMany(
    account: AccountScope,
    changes: readonly ContactReplacement[],
    now: Date,
  ): Promise<ReadonlySet<string>> {
    if (changes.length === 0) return new Set();
    await this.writeMany(account, changes, now);
    const found = await this.contacts
      .find({ _id: { $in: changes.map(({ before }) => before._id) }, user: account.user }, { imported: 1 })
      .lean<Pick<Contact, '_id' | 'imported'>[]>();
    const stamps = new Map(found.map(({ _id, imported }) => [_id.toHexString(), imported]));
    const isWritten = ({ before: { _id }, imported }: ContactReplacement) => {
      const stamp = stamps.get(_id.toHexString());
      return stamp?.row === imported.row && stamp.import.equals(imported.import);
    };
    return new Set(changes.flatMap((change) => (isWritten(change) ? [] : change.before._id.toHexString())));
  }

  /** Gives contacts another content. Those that were changed meanwhile stay as they are. */
  async writeMany({ user }: AccountScope, changes: readonly ContactReplacement[], now: Date): Promise<void> {
    await writeUnlessDuplicate(
      this.contacts.collection,
      changes.map(({ before, content, imported }) => ({
        updateOne: {
          filter: { _id: before._id, user, version: before.version },
          update: withStamp(replacement(before, content, now), imported),
        },
      })),
    );
  }

  /** Removes contacts that nobody has changed since they were read. */
  async removeMany({ user }: AccountScope, contacts: readonly Contact[]): Promise<void> {
    if (contacts.length === 0) return;
    const writes = contacts.map(({ _id, version }) => ({ deleteOne: { filter: { _id, user, version } } }));
    await this.contacts.collection.bulkWrite(writes, { ordered: false });
  }

  /** Those of these numbers with which there are messages. @param numbers in comparable form. */
  async listNumbersWithMessages(
    { user }: AccountScope,
    numbers: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const found = await this.conversations
      .find({ user, number: { $in: numbers } }, { number: 1 })
      .lean<{ readonly _id: Types.ObjectId; readonly number: string }[]>();
    return new Set(found.map(({ number }) => number));
  }
}

const withStamp = ({ $set, ...update }: ReturnType<typeof replacement>, imported: ImportStamp) => ({
  ...update,
  $set: { ...$set, imported },
});
