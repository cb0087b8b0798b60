import { mongo } from 'mongoose';
import type { Account } from '../src/auth/accounts/account.schema';
import type { ApiKey } from '../src/auth/api-keys/api-key.schema';
import type { DeviceToken } from '../src/auth/device-tokens/device-token.schema';
import type { Usage } from '../src/billing/usage/usage.schema';
import type { Contact } from '../src/contacts/store/contact.schema';
import type { Device } from '../src/devices/store/device.schema';
import type { Totals } from '../src/totals/totals.schema';
import type { Batch } from '../src/messages/batch.schema';
import type { Message } from '../src/messages/message.schema';
import type { Suppression } from '../src/consent/suppressions/suppression.schema';
import type { Delivery } from '../src/webhooks/deliveries/delivery.schema';

/** Documents per write. */
const CHUNK = 1_000;

/** Direct access to the collections of one database. */
export class Records {
  readonly accounts: mongo.Collection<Account>;
  readonly apiKeys: mongo.Collection<ApiKey>;
  readonly usages: mongo.Collection<Usage>;
  readonly devices: mongo.Collection<Device>;
  readonly deviceTokens: mongo.Collection<DeviceToken>;
  readonly batches: mongo.Collection<Batch>;
  readonly messages: mongo.Collection<Message>;
  readonly deliveries: mongo.Collection<Delivery>;
  readonly contacts: mongo.Collection<Contact>;
  readonly totals: mongo.Collection<Totals>;
  readonly suppressions: mongo.Collection<Suppression>;

  constructor(readonly database: mongo.Db) {
    this.accounts = database.collection('accounts');
    this.apiKeys = database.collection('apikeys');
    this.usages = database.collection('usages');
    this.devices = database.collection('devices');
    this.deviceTokens = database.collection('devicetokens');
    this.batches = database.collection('batches');
    this.messages = database.collection('messages');
    this.deliveries = database.collection('webhookdeliveries');
    this.contacts = database.collection('contacts');
    this.totals = database.collection('totals');
    this.suppressions = database.collection('suppressions');
  }

  /** Stores many messages. @param create creates the message with this number. */
  async fillMessages(count: number, create: (number: number) => Message): Promise<void> {
    await inChunks(count, create, async (messages) => {
      await this.messages.insertMany(messages, { ordered: false });
    });
  }

  /** Stores many blocks. @param create creates the block with this number. */
  async fillSuppressions(count: number, create: (number: number) => Suppression): Promise<void> {
    await inChunks(count, create, async (suppressions) => {
      await this.suppressions.insertMany(suppressions, { ordered: false });
    });
  }
}

/** Creates the collections and indexes of one database in another. */
export async function copyIndexes(from: mongo.Db, to: mongo.Db): Promise<void> {
  const collections = await from.listCollections({}, { nameOnly: true }).toArray();
  for (const { name } of collections) {
    const indexes = (await from.collection(name).listIndexes().toArray()) as IndexFacts[];
    await to.collection(name).createIndexes(
      indexes.map(({ key, unique, partialFilterExpression, expireAfterSeconds }) => ({
        key,
        ...(unique === true && { unique }),
        ...(partialFilterExpression && { partialFilterExpression }),
        ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
      })),
    );
  }
}

interface IndexFacts {
  readonly key: Record<string, 1 | -1>;
  readonly unique?: boolean;
  readonly partialFilterExpression?: mongo.Document;
  readonly expireAfterSeconds?: number;
}

async function inChunks<Stored>(
  count: number,
  create: (number: number) => Stored,
  store: (documents: Stored[]) => Promise<void>,
): Promise<void> {
  for (let first = 0; first < count; first += CHUNK) {
    const length = Math.min(CHUNK, count - first);
    await store(Array.from({ length }, (_, index) => create(first + index)));
  }
}
