import type { ApiClient } from '../chaos/api-client';

/** The operator of the receiver, who asks for what it has missed. */
export class Operator {
  /** Deliveries asked for again. */
  replayed = 0;
  private readonly since = new Date();

  constructor(
    private readonly api: ApiClient,
    private readonly baseUrl: string,
    private readonly subscription: string,
  ) {}

  /** Has the service deliver again what failed or waits for a later attempt. */
  async replay(): Promise<void> {
    for (const status of ['retrying', 'failed']) {
      let cursor: string | null = null;
      do {
        const answer: { scheduledCount: number; nextCursor: string | null } = await this.api.data(
          this.baseUrl,
          {
            method: 'POST',
            path: `webhooks/${this.subscription}/replay`,
            body: { from: this.since.toISOString(), status, ...(cursor !== null && { cursor }) },
          },
        );
        this.replayed += answer.scheduledCount;
        cursor = answer.nextCursor;
      } while (cursor !== null);
    }
  }
}
