import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../api-keys/api-keys.service';
import { toApiKeyResponse } from '../api-keys/http/api-key.response';
import type { AuthenticatedAccount } from '../auth/account-scope';
import { ProfileService } from '../auth/profile/profile.service';
import { toAccountResponse } from '../auth/accounts/http/account.response';
import { toSessionResponse } from '../auth/sessions/http/session.response';
import { SessionsService } from '../auth/sessions/sessions.service';
import { toSubscriptionResponse } from '../billing/http/billing.response';
import { PlanSubscriptionService } from '../billing/plan-subscription.service';
import { toWebhookSubscriptionResponse } from '../webhooks/subscriptions/http/subscription.response';
import type { SubscriptionWithSecret } from '../webhooks/subscriptions/subscription-views.service';
import { toNoticesResponse } from '../notices/http/notices.response';
import { NoticeSettingsService } from '../notices/notice-settings.service';
import { WebhookSubscriptionsService } from '../webhooks/subscriptions/webhook-subscriptions.service';

/** A line of the file: its data is what the API answers. The last one has the type `end`. */
export interface ExportedRecord {
  readonly type: string;
  readonly data: object;
}

export const toRecords = <Item>(
  type: string,
  items: readonly Item[],
  toData: (item: Item) => object,
): ExportedRecord[] => items.map((item) => ({ type, data: toData(item) }));

/** The records of an account itself. */
@Injectable()
export class AccountRecords {
  constructor(
    private readonly profiles: ProfileService,
    private readonly subscriptions: PlanSubscriptionService,
    private readonly sessions: SessionsService,
    private readonly keys: ApiKeysService,
    private readonly notices: NoticeSettingsService,
    private readonly webhooks: WebhookSubscriptionsService,
  ) {}

  async *of(account: AuthenticatedAccount): AsyncGenerator<ExportedRecord> {
    yield* toRecords('account', [await this.profiles.get(account)], toAccountResponse);
    yield* toRecords('subscription', [await this.subscriptions.current(account)], toSubscriptionResponse);
    yield* toRecords('session', await this.sessions.list(account), (session) =>
      toSessionResponse(session, account.credential.id),
    );
    yield* toRecords('apiKey', await this.keys.list(account, 'all'), toApiKeyResponse);
    yield* toRecords('notices', [await this.notices.get(account)], toNoticesResponse);
    yield* toRecords('webhook', await this.webhooks.list(account), toWebhookWithoutSecret);
  }
}

function toWebhookWithoutSecret({ subscription }: SubscriptionWithSecret): object {
  const { signingSecret, ...webhook } = toWebhookSubscriptionResponse({
    subscription,
    signingSecret: undefined,
  });
  return webhook;
}
