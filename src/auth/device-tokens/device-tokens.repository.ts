import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { CoalescedLoader } from '../../common/coalescer';
import { upsertWithRetry } from '../../infrastructure/mongo/duplicate-key';
import type { AccountScope } from '../account-scope';
import { DeviceToken } from './device-token.schema';

/** The tokens of paired apps: one for each device. */
@Injectable()
export class DeviceTokensRepository {
  private readonly active = new CoalescedLoader(String, (hashes: readonly string[]) => this.read(hashes));

  constructor(@InjectModel(DeviceToken.name) private readonly tokens: Model<DeviceToken>) {}

  /** Concurrent reads are batched. */
  findByHash(hash: string): Promise<DeviceToken | null> {
    return this.active.load(hash);
  }

  /** @param device it may belong to any account. */
  findOfDevice(device: Types.ObjectId): Promise<DeviceToken | null> {
    return this.tokens.findById(device).lean<DeviceToken>();
  }

  /** Of these devices, those without a token. */
  async findWithout(devices: readonly Types.ObjectId[]): Promise<Set<string>> {
    const found = await this.tokens.find({ _id: { $in: devices } }, { _id: 1 }).lean();
    const withToken = new Set(found.map(({ _id }) => _id.toHexString()));
    return new Set(devices.map((id) => id.toHexString()).filter((id) => !withToken.has(id)));
  }

  /** Gives a device a token; an earlier one ends. */
  async replace({ user }: AccountScope, device: Types.ObjectId, hash: string, now: Date): Promise<void> {
    await upsertWithRetry(() =>
      this.tokens.updateOne({ _id: device }, { $set: { user, hash, createdAt: now } }, { upsert: true }),
    );
  }

  async remove({ user }: AccountScope, device: Types.ObjectId): Promise<void> {
    await this.tokens.deleteOne({ _id: device, user });
  }

  async removeAll({ user }: AccountScope): Promise<void> {
    await this.tokens.deleteMany({ user });
  }

  private async read(hashes: readonly string[]): Promise<Map<string, DeviceToken>> {
    const found = await this.tokens.find({ hash: { $in: hashes } }).lean<DeviceToken[]>();
    return new Map(found.map((token) => [token.hash, token]));
  }
}
