import type { mongo } from 'mongoose';
import { contactNumber, dialingCountry, type Phone } from '../common/contact-number';
import { valuePerDocument } from '../infrastructure/mongo/value-per-document';
import type { Migration } from './migration';
import { pagesOf } from './pages';

const ACCOUNTS_BATCH_SIZE = 100;
const MESSAGES_BATCH_SIZE = 500;
const CONTACT_INDEX = { user: 1, contactNumber: 1, createdAt: -1, _id: -1 } as const;

const NUMBER = { $ifNull: ['$recipient', '$sender'] };
/** Earlier versions stored senders of any size. */
const BOUNDED_NUMBER = {
  $cond: [{ $eq: [{ $type: NUMBER }, 'string'] }, { $substrCP: [NUMBER, 0, 256] }, null],
};

interface Account {
  readonly _id: mongo.ObjectId;
  readonly defaultCountry?: string;
}

interface Device extends Phone {
  readonly _id: mongo.ObjectId;
}

interface Message {
  readonly _id: mongo.ObjectId;
  readonly user: mongo.ObjectId;
  readonly device: mongo.ObjectId;
  readonly number: string | null;
  readonly simSubscriptionId?: number;
}

/**
 * Sets `contactNumber` of messages from before the field existed; it is empty if they have no number.
 *
 * Processes of the previous version may store messages without the field even after this migration. Therefore lists by
 * number also compare the numbers of messages without it.
 */
export const contactNumbers: Migration = {
  name: '0003-contact-numbers',
  async run({ db, checkpoint }) {
    for await (const page of pagesOf<Account>(db, 'accounts', ACCOUNTS_BATCH_SIZE, { defaultCountry: 1 })) {
      do checkpoint();
      while (await setContactNumbers(db, page));
    }
  },
};

/** @returns whether the accounts may have more messages without the field. */
async function setContactNumbers(db: mongo.Db, accounts: readonly Account[]): Promise<boolean> {
  const messages = db.collection<Message>('messages');
  const page = await messages
    .aggregate<Message>(
      [
        { $match: { user: { $in: accounts.map(({ _id }) => _id) }, contactNumber: null } },
        { $limit: MESSAGES_BATCH_SIZE },
        { $project: { user: 1, device: 1, simSubscriptionId: 1, number: BOUNDED_NUMBER } },
      ],
      { hint: CONTACT_INDEX },
    )
    .toArray();
  if (page.length === 0) return false;
  const phones = await db
    .collection<Device>('devices')
    .find({ _id: { $in: page.map(({ device }) => device) } }, { projection: { simInfo: 1 } })
    .toArray();
  const accountsById = new Map(accounts.map((account) => [String(account._id), account]));
  const phonesById = new Map(phones.map((phone) => [String(phone._id), phone]));
  const numberOf = ({ user, device, simSubscriptionId, number }: Message) => {
    if (number === null) return '';
    const account = accountsById.get(String(user));
    const phone = phonesById.get(String(device)) ?? {};
    return contactNumber(number, dialingCountry(account, phone, simSubscriptionId));
  };
  // Unless a deletion has emptied it meanwhile.
  await messages.updateMany({ _id: { $in: page.map(({ _id }) => _id) }, contactNumber: null }, [
    { $set: { contactNumber: valuePerDocument(page, ({ _id }) => _id, numberOf) } },
  ]);
  return page.length === MESSAGES_BATCH_SIZE;
}
