import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { SecretCipher } from '../../infrastructure/encryption/secret-cipher';
import { PreviousSecret, WebhookSubscription } from '../webhook-subscription.schema';
import { WebhookSubscriptionsRepository } from './webhook-subscriptions.repository';

const PAGE_SIZE = 200;

/** Re-encrypts signing secrets and the values of headers, so that an old encryption key can be removed. */
@Injectable()
export class SecretReencryptionService {
  constructor(
    private readonly subscriptions: WebhookSubscriptionsRepository,
    private readonly cipher: SecretCipher,
    private readonly clock: Clock,
  ) {}

  /**
   * Re-encrypts all secrets with the first configured key until none needs another key. Safe to repeat.
   * @returns how many subscriptions were changed.
   * @throws EncryptionKeyMissing
   */
  async rotate(): Promise<number> {
    let rotated = 0;
    for (;;) {
      let failed = 0;
      for await (const subscription of this.listWithOldKeys())
        if (await this.reencrypt(subscription)) rotated += 1;
        else failed += 1;
      // A secret that its owner replaced meanwhile is now a previous secret, encrypted with the old key.
      if (failed === 0) return rotated;
    }
  }

  private async *listWithOldKeys(): AsyncGenerator<WebhookSubscription> {
    let after: Types.ObjectId | undefined;
    for (;;) {
      const page = await this.subscriptions.listWithSecret(after, PAGE_SIZE);
      yield* page.filter((subscription) => this.needsReencryption(subscription));
      after = page.at(-1)?._id;
      if (page.length < PAGE_SIZE) return;
    }
  }

  private reencrypt(subscription: WebhookSubscription): Promise<boolean> {
    const { _id, signingSecret = '', headers } = subscription;
    const owner = _id.toHexString();
    const reencryptSecret = (encrypted: string) =>
      this.cipher.encrypt(this.cipher.decrypt(encrypted, owner), owner);
    return this.subscriptions.replaceSecrets(subscription, {
      signingSecret: reencryptSecret(signingSecret),
      previousSecrets: this.previousSecrets(subscription).map(({ secret, until }) => ({
        secret: reencryptSecret(secret),
        until,
      })),
      ...(headers && {
        headers: headers.map(({ name, value }) => ({ name, value: reencryptSecret(value) })),
      }),
    });
  }

  private needsReencryption(subscription: WebhookSubscription): boolean {
    const { signingSecret = '', headers = [] } = subscription;
    const previous = this.previousSecrets(subscription).map(({ secret }) => secret);
    const values = headers.map(({ value }) => value);
    return [signingSecret, ...previous, ...values].some((encrypted) =>
      this.cipher.needsReencryption(encrypted),
    );
  }

  /** Leaves out expired secrets: they are never decrypted, and their key may be gone. */
  private previousSecrets({ previousSecrets }: WebhookSubscription): PreviousSecret[] {
    const now = this.clock.now();
    return previousSecrets.filter(({ until }) => until > now);
  }
}
