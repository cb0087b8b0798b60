import { mongo } from 'mongoose';
import type { BatchEvidence, DeliveryEvidence, MessageEvidence } from './evidence';

const MAX_WAITING_MESSAGES = 100;

/** Numbers of records in a temporary state. */
export interface Unsettled {
  readonly batches: number;
  readonly pending: number;
  /** On stream phones, where they are redelivered. */
  readonly dispatched: number;
  /** Waiting for another phone of their pool. */
  readonly moving: number;
  readonly events: number;
  readonly deliveries: number;
}

interface BatchDocument {
  _id: mongo.ObjectId;
  idempotencyKey?: string;
  acceptance: string;
}

interface MessageDocument {
  _id: mongo.ObjectId;
  device: mongo.ObjectId;
  direction: string;
  status?: string;
  smsBatch?: mongo.ObjectId;
  recipient?: string;
  fingerprint?: string;
  countedAt?: Date;
  errorCode?: string;
  attempts?: { device: mongo.ObjectId; outcome: string }[];
}

interface DeliveryDocument {
  _id: mongo.ObjectId;
  webhookSubscription: mongo.ObjectId;
  message: mongo.ObjectId;
  event: string;
  computedStatus: string;
  deliveryAttemptCount: number;
}

/** Reads the database of a run directly, and remembers the batches and messages that retention removes. */
export class DatabaseView {
  private readonly seenBatches = new Map<string, BatchEvidence>();
  private readonly seenMessages = new Map<string, MessageEvidence>();
  private readonly storingTimes = new Map<string, Set<number>>();
  private storedMessages = 0;

  private constructor(
    private readonly client: mongo.MongoClient,
    private readonly name: string,
  ) {}

  static async open(uri: string, name: string): Promise<DatabaseView> {
    const client = await new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 5_000 }).connect();
    return new DatabaseView(client, name);
  }

  async countUnsettled(streamDevices: readonly string[]): Promise<Unsettled> {
    const device = { $in: streamDevices.map((id) => new mongo.ObjectId(id)) };
    const messages = this.collection<MessageDocument>('messages');
    const [batches, pending, dispatched, moving, events, deliveries] = await Promise.all([
      this.collection('batches').countDocuments({ acceptance: { $ne: 'accepted' } }),
      messages.countDocuments({ status: 'pending' }),
      messages.countDocuments({ device, status: { $in: ['dispatched', 'unknown'] } }),
      messages.countDocuments({ moveDueAt: { $exists: true } }),
      messages.countDocuments({ relayDueAt: { $exists: true } }),
      this.collection('webhookdeliveries').countDocuments({
        $or: [{ nextDeliveryAttemptAt: { $exists: true } }, { computedStatus: { $ne: 'delivered' } }],
      }),
    ]);
    return { batches, pending, dispatched, moving, events, deliveries };
  }

  /** What tells why messages wait: the first of them, and all phones and SIMs, as they are stored. */
  async waitingMessages(): Promise<Record<'messages' | 'devices' | 'sims' | 'usages', mongo.Document[]>> {
    const waits = { $or: [{ status: 'pending' }, { moveDueAt: { $exists: true } }] };
    const [messages, devices, sims, usages] = await Promise.all([
      this.collection('messages').find(waits).limit(MAX_WAITING_MESSAGES).toArray(),
      this.collection('devices').find().toArray(),
      this.collection('sims').find().toArray(),
      this.collection('simusages').find().toArray(),
    ]);
    return { messages, devices, sims, usages };
  }

  /** The ids of deliveries without an attempt before the given time. */
  async findLateDeliveries(after: Date): Promise<string[]> {
    const late = await this.collection<DeliveryDocument>('webhookdeliveries')
      .find(
        {
          $or: [
            { computedStatus: 'failed' },
            { computedStatus: 'retrying', nextDeliveryAttemptAt: { $gt: after } },
          ],
        },
        { projection: { _id: 1 } },
      )
      .toArray();
    return late.map(({ _id }) => _id.toHexString());
  }

  async batches(): Promise<BatchEvidence[]> {
    const found = await this.collection<BatchDocument>('batches').find().toArray();
    const stored = found.map(({ _id, idempotencyKey, acceptance }) => {
      const id = _id.toHexString();
      // Retention frees the key before it removes the batch.
      return { id, key: idempotencyKey ?? this.seenBatches.get(id)?.key, acceptance };
    });
    const removed = remember(this.seenBatches, stored);
    return [...stored, ...removed.filter(({ acceptance }) => acceptance === 'accepted')];
  }

  async messages(): Promise<MessageEvidence[]> {
    const found = await this.collection<MessageDocument>('messages').find().toArray();
    const stored = found.map((message) => toMessageEvidence(message, this.countTimesStored(message)));
    this.storedMessages = stored.length;
    const removed = remember(this.seenMessages, stored);
    // A rollback removes pending messages.
    return [...stored, ...removed.filter(({ status }) => status !== 'pending')];
  }

  /** Reads what retention may remove soon. Does nothing while the database is down. */
  async observe(): Promise<void> {
    await Promise.all([this.batches(), this.messages()]).catch(() => undefined);
  }

  /** The messages with ended attempts, as they were last seen. */
  attempted(): MessageEvidence[] {
    return [...this.seenMessages.values()].filter(({ attempts }) => attempts.length > 0);
  }

  async isStored(message: string): Promise<boolean> {
    const _id = new mongo.ObjectId(message);
    return (await this.collection<MessageDocument>('messages').findOne({ _id })) !== null;
  }

  /** How many of the messages seen were removed, without those of abandoned sends. */
  get removedCount(): number {
    const settled = [...this.seenMessages.values()].filter(({ status }) => status !== 'pending');
    return settled.length - this.storedMessages;
  }

  /** The messages that retention must still remove: those in batches without a message in doubt. */
  async countRemovable(): Promise<number> {
    await this.observe();
    const messages = this.collection<MessageDocument>('messages');
    const inDoubt = await messages.distinct('smsBatch', { status: { $in: ['dispatched', 'unknown'] } });
    return messages.countDocuments({ smsBatch: { $nin: inDoubt } });
  }

  async deliveries(): Promise<DeliveryEvidence[]> {
    const found = await this.collection<DeliveryDocument>('webhookdeliveries')
      .find({}, { projection: { body: 0, responseBody: 0, attempts: 0 } })
      .toArray();
    return found.map((delivery) => ({
      id: delivery._id.toHexString(),
      subscription: delivery.webhookSubscription.toHexString(),
      smsId: delivery.message.toHexString(),
      event: delivery.event,
      status: delivery.computedStatus,
      attempts: delivery.deliveryAttemptCount,
    }));
  }

  async usageOfMonth(): Promise<number> {
    const found = await this.collection<{ monthCount: number }>('usages').find().toArray();
    return found.reduce((sum, { monthCount }) => sum + monthCount, 0);
  }

  async drop(): Promise<void> {
    await this.client.db(this.name).dropDatabase();
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  /** A received message is counted when it is stored, and never again; a slow database moves its `createdAt`. */
  private countTimesStored({ _id, direction, countedAt }: MessageDocument): number {
    if (direction !== 'received' || !countedAt) return 1;
    const id = _id.toHexString();
    const times = this.storingTimes.get(id) ?? new Set();
    this.storingTimes.set(id, times.add(countedAt.getTime()));
    return times.size;
  }

  private collection<Document extends mongo.Document>(name: string): mongo.Collection<Document> {
    return this.client.db(this.name).collection<Document>(name);
  }
}

function toMessageEvidence(
  { _id, device, smsBatch, attempts = [], ...message }: MessageDocument,
  timesStored: number,
): MessageEvidence {
  const { direction, status, recipient, fingerprint, errorCode } = message;
  return {
    id: _id.toHexString(),
    device: device.toHexString(),
    direction,
    status,
    batch: smsBatch?.toHexString(),
    recipient,
    fingerprint,
    timesStored,
    errorCode,
    attempts: attempts.map((attempt) => ({ device: attempt.device.toHexString(), outcome: attempt.outcome })),
  };
}

/** Adds records to those seen. @returns those seen before that are not stored any more, as they were last seen. */
function remember<Record extends { readonly id: string }>(
  seen: Map<string, Record>,
  stored: readonly Record[],
): Record[] {
  const removed = new Map(seen);
  for (const record of stored) {
    seen.set(record.id, record);
    removed.delete(record.id);
  }
  return [...removed.values()];
}
