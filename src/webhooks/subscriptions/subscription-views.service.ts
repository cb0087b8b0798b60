import { Injectable } from '@nestjs/common';
import { SecretCipher } from '../../infrastructure/encryption/secret-cipher';
import { SubscriptionTotals } from '../deliveries/subscription-totals.service';
import type { CustomHeader, WebhookSubscription } from '../webhook-subscription.schema';

/** `signingSecret` is undefined, and a value of `headers` empty, when its encryption key is missing. */
export interface SubscriptionWithSecret {
  readonly subscription: WebhookSubscription;
  readonly signingSecret: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Adds to subscriptions what is not stored as it is shown: their counters up to now, and the decrypted secret. */
@Injectable()
export class SubscriptionViews {
  constructor(
    private readonly cipher: SecretCipher,
    private readonly totals: SubscriptionTotals,
  ) {}

  async of(subscription: WebhookSubscription): Promise<SubscriptionWithSecret> {
    return {
      subscription: await this.totals.withTotals(subscription),
      signingSecret: this.decryptSecret(subscription),
      headers: this.decryptHeaders(subscription),
    };
  }

  encryptHeaders(
    { _id }: Pick<WebhookSubscription, '_id'>,
    headers: Readonly<Record<string, string>>,
  ): CustomHeader[] {
    return Object.entries(headers).map(([name, value]) => ({
      name,
      value: this.cipher.encrypt(value, _id.toHexString()),
    }));
  }

  decryptSecret({ _id, signingSecret = '' }: WebhookSubscription): string | undefined {
    return this.cipher.tryDecrypt(signingSecret, _id.toHexString());
  }

  private decryptHeaders({
    _id,
    headers,
  }: WebhookSubscription): Readonly<Record<string, string>> | undefined {
    if (!headers) return undefined;
    const owner = _id.toHexString();
    return Object.fromEntries(
      headers.map(({ name, value }) => [name, this.cipher.tryDecrypt(value, owner) ?? '']),
    );
  }

  encryptSecret({ _id }: Pick<WebhookSubscription, '_id'>, secret: string): string {
    return this.cipher.encrypt(secret, _id.toHexString());
  }
}
