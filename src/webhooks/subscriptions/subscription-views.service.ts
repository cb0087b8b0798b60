import { Injectable } from '@nestjs/common';
import { SecretCipher } from './secret-cipher';
import { SubscriptionTotals } from '../deliveries/subscription-totals.service';
import type { WebhookSubscription } from './webhook-subscription.schema';

/** `signingSecret` is undefined when its encryption key is missing. */
export interface SubscriptionWithSecret {
  readonly subscription: WebhookSubscription;
  readonly signingSecret: string | undefined;
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
    };
  }

  decryptSecret({ _id, signingSecret = '' }: WebhookSubscription): string | undefined {
    return this.cipher.tryDecrypt(signingSecret, _id.toHexString());
  }

  encryptSecret({ _id }: Pick<WebhookSubscription, '_id'>, secret: string): string {
    return this.cipher.encrypt(secret, _id.toHexString());
  }
}
