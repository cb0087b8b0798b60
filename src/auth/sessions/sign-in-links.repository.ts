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

  /** Removes and returns a link, atomically: of concurrent calls, one gets it and the others get null. */
  redeem(hash: string): Promise<SignInLink | null> {
    return this.links.findOneAndDelete({ _id: hash }).lean<SignInLink>();
  }
}
