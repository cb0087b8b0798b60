import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { SignInLink } from './sign-in-link.schema';

@Injectable()
export class SignInLinksRepository {
  constructor(@InjectModel(SignInLink.name) private readonly links: Model<SignInLink>) {}

  async create(link: SignInLink): Promise<void> {
    await this.links.insertMany([link], { lean: true });
  }

  /** Removes a link in one write: of many at once, one gets it. @returns null for any other. */
  spend(hash: string): Promise<SignInLink | null> {
    return this.links.findOneAndDelete({ _id: hash }).lean<SignInLink>();
  }
}
