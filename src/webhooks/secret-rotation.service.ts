import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { SecretBox } from '../common/secret-box';
import { Subscription } from './subscription.schema';
import { SubscriptionsRepository } from './subscriptions.repository';

const PAGE = 200;

/** Encrypts signing secrets anew, so that an old encryption key can go. */
@Injectable()
export class SecretRotationService {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly box: SecretBox,
  ) {}

  /**
   * Encrypts with the first of the configured keys what is encrypted with another. Safe to repeat; once it finds
   * nothing, the other keys are no longer needed.
   * @returns how many subscriptions were changed.
   * @throws EncryptionKeyMissing
   */
  async rotate(): Promise<number> {
    let rotated = 0;
    let after: Types.ObjectId | undefined;
    for (;;) {
      const page = await this.subscriptions.listWithSecret(after, PAGE);
      for (const subscription of page) if (await this.rotateOne(subscription)) rotated += 1;
      after = page.at(-1)?._id;
      if (page.length < PAGE) return rotated;
    }
  }

  private async rotateOne(subscription: Subscription): Promise<boolean> {
    const { _id, signingSecret = '', previousSecrets } = subscription;
    const boxes = [signingSecret, ...previousSecrets.map(({ secret }) => secret)];
    if (!boxes.some((box) => this.box.isStale(box))) return false;
    const owner = _id.toHexString();
    const anew = (box: string) => this.box.close(this.box.open(box, owner), owner);
    return this.subscriptions.replaceSecrets(subscription, {
      signingSecret: anew(signingSecret),
      previousSecrets: previousSecrets.map(({ secret, until }) => ({ secret: anew(secret), until })),
    });
  }
}
