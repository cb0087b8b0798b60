import type { TestClient } from '../support/client';

/** The response fields that tests read. */
export interface SubscriptionJson {
  readonly _id: string;
  readonly isActive: boolean;
  readonly [field: string]: unknown;
}

export interface DeliveryJson {
  readonly _id: string;
  readonly computedStatus: string;
  readonly webhookSubscription: string;
  readonly errorType?: string;
  readonly payload: { readonly smsId: string; readonly deviceId: string };
  readonly createdAt: string;
  readonly [field: string]: unknown;
}

export interface HistoryJson {
  readonly data: readonly DeliveryJson[];
  readonly meta: Record<string, unknown>;
}

export interface RefusalJson {
  readonly code: string;
  readonly details?: readonly { readonly field: string; readonly message: string }[];
}

/** The fields named by a validation error. */
export const fieldsAtFault = (body: unknown): string[] => [
  ...new Set((body as RefusalJson).details?.map(({ field }) => field)),
];

/** An account that creates valid webhook subscriptions, except for the given fields. */
export class WebhookOwner {
  constructor(
    readonly account: TestClient,
    readonly good: object,
  ) {}

  post(fields: object = {}) {
    return this.account.post('/webhooks', { ...this.good, ...fields });
  }

  async create(fields: object = {}): Promise<SubscriptionJson> {
    const answer = await this.post(fields);
    expect({ fields, status: answer.status, body: answer.body as unknown }).toMatchObject({ status: 201 });
    return (answer.body as { data: SubscriptionJson }).data;
  }

  async read(id: string): Promise<SubscriptionJson> {
    return this.data(`/webhooks/${id}`);
  }

  async list(): Promise<SubscriptionJson[]> {
    return this.data('/webhooks');
  }

  async history(query: Readonly<Record<string, string>> = {}): Promise<HistoryJson> {
    return this.data(`/webhooks/notifications?${new URLSearchParams(query).toString()}`);
  }

  /** Expects a create and an update with these fields to be rejected, and the update to change nothing. */
  async expectRefused(fields: object, field: string): Promise<void> {
    const [first = await this.create()] = await this.list();
    const before = await this.list();
    const change = await this.account.patch(`/webhooks/${first._id}`, fields);
    for (const answer of [await this.post(fields), change]) {
      const { code, details } = answer.body as RefusalJson;
      const got = { fields, status: answer.status, code, named: fieldsAtFault(answer.body) };
      expect(got).toEqual({ fields, status: 400, code: 'VALIDATION_FAILED', named: [field] });
      expect(details?.[0]?.message.startsWith(field)).toBe(true);
    }
    expect(await this.list()).toEqual(before);
  }

  /** Expects a create and an update with these fields to be accepted. */
  async expectAccepted(fields: object): Promise<void> {
    const { _id } = await this.create(fields);
    expect(await this.read(_id)).toMatchObject(fields);
    await this.account.delete(`/webhooks/${_id}`).expect(200);
    const [first = await this.create()] = await this.list();
    const answer = await this.account.patch(`/webhooks/${first._id}`, fields);
    expect({ fields, status: answer.status }).toEqual({ fields, status: 200 });
    expect((answer.body as { data: unknown }).data).toMatchObject(fields);
    expect((await this.list())[0]).toMatchObject(fields);
  }

  private async data<Data>(path: string): Promise<Data> {
    const answer = await this.account.get(path);
    expect({ path, status: answer.status, body: answer.body as unknown }).toMatchObject({ status: 200 });
    return (answer.body as { data: Data }).data;
  }
}
