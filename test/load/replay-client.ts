import type { ApiClient } from '../chaos/api-client';

/** Replays the deliveries that the receiver has missed. */
export class ReplayClient {
  /** Number of replayed deliveries. */
  replayed = 0;
  private readonly since = new Date();

  constructor(
    private readonly api: ApiClient,
    private readonly baseUrl: string,
    private readonly subscription: string,
  ) {}

  /** Replays all failed and retrying deliveries. */
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
