import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { insertUnlessDuplicate } from '../mongo/duplicate-key';
import { InstallationSecret } from './installation-secret.schema';

@Injectable()
export class InstallationSecretsRepository {
  constructor(@InjectModel(InstallationSecret.name) private readonly secrets: Model<InstallationSecret>) {}

  find(id: string): Promise<InstallationSecret | null> {
    return this.secrets.findById(id).lean<InstallationSecret>();
  }

  list(): Promise<InstallationSecret[]> {
    return this.secrets.find().lean<InstallationSecret[]>();
  }

  /** Stores a secret, unless there is one. */
  async create(secret: InstallationSecret): Promise<void> {
    await insertUnlessDuplicate(this.secrets, secret);
  }

  /** @returns false if it has changed since it was read. */
  async replace({ _id, secret: former }: InstallationSecret, secret: string): Promise<boolean> {
    const result = await this.secrets.updateOne({ _id, secret: former }, { $set: { secret } });
    return result.matchedCount === 1;
  }
}
