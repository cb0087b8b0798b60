import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { SecretBox } from '../common/secret-box';
import { PreviousSecret, Subscription } from './subscription.schema';
import { SubscriptionsRepository } from './subscriptions.repository';

const PAGE = 200;

/** Encrypts signing secrets anew, so that an old encryption key can go. */
@Injectable()
export class SecretRotationService {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  /**
   * Encrypts with the first of the configured keys what is encrypted with another, until nothing is left that needs
   * the others. Safe to repeat.
   * @returns how many subscriptions were changed.
   * @throws EncryptionKeyMissing
   */
  async rotate(): Promise<number> {
    let rotated = 0;
    for (;;) {
      const { found, changed } = await this.pass();
      rotated += changed;
      // A secret that its owner replaced meanwhile now stands among the previous ones, still under its old key.
      if (changed === found) return rotated;
    }
  }

  /** @returns how many subscriptions needed another key, and how many of them were changed. */
  private async pass(): Promise<{ found: number; changed: number }> {
    let found = 0;
    let changed = 0;
    let after: Types.ObjectId | undefined;
    for (;;) {
      const page = await this.subscriptions.listWithSecret(after, PAGE);
      for (const subscription of page) {
        if (!this.needsAnotherKey(subscription)) continue;
        found += 1;
        if (await this.encryptAnew(subscription)) changed += 1;
      }
      after = page.at(-1)?._id;
      if (page.length < PAGE) return { found, changed };
    }
  }

  private encryptAnew(subscription: Subscription): Promise<boolean> {
    const { _id, signingSecret = '' } = subscription;
    const owner = _id.toHexString();
    const anew = (box: string) => this.box.close(this.box.open(box, owner), owner);
    return this.subscriptions.replaceSecrets(subscription, {
      signingSecret: anew(signingSecret),
      previousSecrets: this.previousSecrets(subscription).map(({ secret, until }) => ({
        secret: anew(secret),
        until,
      })),
    });
  }

  private needsAnotherKey(subscription: Subscription): boolean {
    const { signingSecret = '' } = subscription;
    const previous = this.previousSecrets(subscription).map(({ secret }) => secret);
    return [signingSecret, ...previous].some((box) => this.box.isStale(box));
  }

  /** Those that still sign: nobody opens the others again, and their key may be gone already. */
  private previousSecrets({ previousSecrets }: Subscription): PreviousSecret[] {
    const now = this.clock.now();
    return previousSecrets.filter(({ until }) => until > now);
  }
}
