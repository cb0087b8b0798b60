import { mongo } from 'mongoose';
import type { BatchEvidence, DeliveryEvidence, MessageEvidence } from './evidence';

/** Numbers of records in a temporary state. */
export interface Unsettled {
  readonly batches: number;
  readonly pending: number;
  /** On stream phones, where they are redelivered. */
  readonly dispatched: number;
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
}

interface DeliveryDocument {
  _id: mongo.ObjectId;
  webhookSubscription: mongo.ObjectId;
  message: mongo.ObjectId;
  event: string;
  computedStatus: string;
  deliveryAttemptCount: number;
}

/** Reads the database of a run directly. */
export class DatabaseView {
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
    const [batches, pending, dispatched, events, deliveries] = await Promise.all([
      this.collection('batches').countDocuments({ acceptance: { $ne: 'accepted' } }),
      messages.countDocuments({ status: 'pending' }),
      messages.countDocuments({ device, status: { $in: ['dispatched', 'unknown'] } }),
      messages.countDocuments({ relayDueAt: { $exists: true } }),
      this.collection('webhookdeliveries').countDocuments({
        $or: [{ nextDeliveryAttemptAt: { $exists: true } }, { computedStatus: { $ne: 'delivered' } }],
      }),
    ]);
    return { batches, pending, dispatched, events, deliveries };
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
    return found.map(({ _id, idempotencyKey, acceptance }) => ({
      id: _id.toHexString(),
      key: idempotencyKey,
      acceptance,
    }));
  }

  async messages(): Promise<MessageEvidence[]> {
    const found = await this.collection<MessageDocument>('messages').find().toArray();
    return found.map(({ _id, device, direction, status, smsBatch, recipient, fingerprint }) => ({
      id: _id.toHexString(),
      device: device.toHexString(),
      direction,
      status,
      batch: smsBatch?.toHexString(),
      recipient,
      fingerprint,
    }));
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

  private collection<Document extends mongo.Document>(name: string): mongo.Collection<Document> {
    return this.client.db(this.name).collection<Document>(name);
  }
}
