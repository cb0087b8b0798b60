import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, mongo, type QueryFilter, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { idsOf } from '../../common/documents';
import { ifDuplicate, insertUnlessDuplicate, isDuplicateKey } from '../../infrastructure/mongo/duplicate-key';
import { insertManyUnordered } from '../../infrastructure/mongo/unordered-writes';
import { Contact, type ContactContent } from './contact.schema';
import { withTerms } from './contact-terms';

/** Which contacts absorbed others is known for this many. */
const MAX_ABSORBED = 50;

/** How a contact is named where its number stands. */
export type ContactName = Pick<Contact, '_id' | 'name' | 'peerNumbers'>;

/** Excludes contacts that are being merged into others. */
export const SHOWN = { mergedInto: { $exists: false } } as const;

/** Writes contacts, and reads them by id and number. */
@Injectable()
export class ContactsRepository {
  constructor(@InjectModel(Contact.name) private readonly contacts: Model<Contact>) {}

  find({ user }: AccountScope, id: Types.ObjectId): Promise<Contact | null> {
    return this.contacts.findOne({ _id: id, user, ...SHOWN }).lean<Contact>();
  }

  /** Also one that is being merged into another. */
  findAny({ user }: AccountScope, id: Types.ObjectId): Promise<Contact | null> {
    return this.contacts.findOne({ _id: id, user }).lean<Contact>();
  }

  findMany({ user }: AccountScope, ids: readonly Types.ObjectId[]): Promise<Contact[]> {
    return this.contacts.find({ _id: { $in: ids }, user, ...SHOWN }).lean<Contact[]>();
  }

  /** The contacts that have these numbers. @param numbers in comparable form, see `peerNumber` in `src/common`. */
  findByNumbers({ user }: AccountScope, numbers: readonly string[]): Promise<Contact[]> {
    return this.contacts.find({ user, peerNumbers: { $in: numbers }, ...SHOWN }).lean<Contact[]>();
  }

  /** Only what names them. */
  findNames({ user }: AccountScope, numbers: readonly string[]): Promise<ContactName[]> {
    return this.contacts
      .find({ user, peerNumbers: { $in: numbers }, ...SHOWN }, { name: 1, peerNumbers: 1 })
      .lean<ContactName[]>();
  }

  /** @returns false if a contact has one of the numbers. */
  insert(contact: Contact): Promise<boolean> {
    return insertUnlessDuplicate(this.contacts, contact);
  }

  /** Inserts contacts in one command. @returns whether a contact has one of the numbers, for each. @throws other failures. */
  async insertMany(contacts: readonly Contact[]): Promise<boolean[]> {
    const failures = await insertManyUnordered(this.contacts, contacts);
    for (const failure of failures) if (failure && !isDuplicateKey(failure)) throw failure;
    return failures.map((failure) => failure === undefined);
  }

  /**
   * Replaces the content of a contact; one that is hidden is shown again.
   * @param before as it was read. @returns false if it has changed since, `taken` if another contact has one of the numbers.
   */
  replace(before: Contact, content: ContactContent, now: Date): Promise<boolean | 'taken'> {
    return ifDuplicate('taken', async () => {
      const result = await this.contacts.updateOne(unchanged(before), replacement(before, content, now));
      return result.matchedCount === 1;
    });
  }

  /** Removes a contact and those that are being merged into it. @returns false if there is no such contact. */
  async remove({ user }: AccountScope, id: Types.ObjectId): Promise<boolean> {
    // First, so that a merge that was interrupted does not bring them back.
    await this.contacts.deleteMany({ user, mergedInto: id });
    return (await this.contacts.deleteOne({ _id: id, user, ...SHOWN })).deletedCount === 1;
  }

  /**
   * Merges one contact into another, in one command: the source is hidden, which frees its numbers, and the target gets the content
   * of both. An interrupted merge has hidden the source, or that too.
   * @param content that of the target afterwards.
   * @returns false if one of both has changed since it was read, `taken` if another contact has one of the numbers.
   */
  merge(target: Contact, source: Contact, content: ContactContent, now: Date): Promise<boolean | 'taken'> {
    const absorption = {
      ...replacement(target, content, now),
      $push: { absorbed: { $each: [source._id], $slice: -MAX_ABSORBED } },
    };
    const writes = [
      ...(source.mergedInto
        ? []
        : [{ updateOne: { filter: unchanged(source), update: hiding(source, target._id, now) } }]),
      { updateOne: { filter: unchanged(target), update: absorption } },
    ];
    return ifDuplicate('taken', async () => {
      const result = await this.contacts.collection.bulkWrite(writes as mongo.AnyBulkWriteOperation[], {
        ordered: true,
      });
      return result.matchedCount === writes.length;
    });
  }

  /** Removes a contact that was merged into another. */
  async removeMerged({ user }: AccountScope, id: Types.ObjectId): Promise<void> {
    await this.contacts.deleteOne({ _id: id, user, mergedInto: { $exists: true } });
  }

  /** Contacts whose merge into another may have been interrupted. */
  listHidden({ user }: AccountScope, limit: number): Promise<Contact[]> {
    return this.contacts
      .find({ user, mergedInto: { $exists: true } })
      .limit(limit)
      .lean<Contact[]>();
  }

  /** Those of these accounts that have such contacts. */
  async listUsersWithHidden(users: readonly Types.ObjectId[]): Promise<Types.ObjectId[]> {
    return idsOf(
      await this.contacts.aggregate<Pick<Contact, '_id'>>([
        { $match: { user: { $in: users }, mergedInto: { $exists: true } } },
        { $group: { _id: '$user' } },
      ]),
    );
  }
}

/** A contact as it is stored. */
export function newContact(
  { user }: AccountScope,
  content: ContactContent,
  now: Date,
  _id = new Types.ObjectId(),
): Contact {
  return withTerms({ _id, user, ...contentOf(content), version: 1, createdAt: now, updatedAt: now });
}

export const contentOf = ({
  name,
  numbers,
  fields,
  tags,
  notes,
  language,
  lists,
}: ContactContent): ContactContent => ({
  name,
  numbers,
  fields,
  tags,
  ...(notes && { notes }),
  ...(language && { language }),
  lists,
});

const unchanged = ({ _id, user, version }: Contact): QueryFilter<Contact> => ({ _id, user, version });

/** The update that gives a contact another content. */
export function replacement({ _id }: Contact, content: ContactContent, now: Date) {
  const { notes, language, ...rest } = withTerms({ _id, ...contentOf(content) });
  const { _id: id, ...set } = rest;
  return {
    $set: { ...set, ...(notes && { notes }), ...(language && { language }), updatedAt: now },
    // Of a contact that is shown again, what hid it.
    $unset: { mergedInto: 1, merged: 1, ...(!notes && { notes: 1 }), ...(!language && { language: 1 }) },
    $inc: { version: 1 },
  } as const;
}

function hiding(source: Contact, target: Types.ObjectId, now: Date) {
  const { _id, ...empty } = withTerms({
    _id: source._id,
    name: '',
    numbers: [],
    fields: [],
    tags: [],
    lists: [],
  });
  return {
    $set: { ...empty, mergedInto: target, merged: contentOf(source), updatedAt: now },
    $unset: { notes: 1, language: 1 },
    $inc: { version: 1 },
  };
}
