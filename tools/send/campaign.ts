import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagingGateway, NoResponse, type SendResponse } from 'messaging-gateway-client';
import { dataOf, ApiError } from '../api-error';
import { Backoff } from 'messaging-gateway-phone';
import { type Contact, type ContactList, isInvalidRow } from './contact-list';

/** Fits into a request of 2 MB with 1,600 characters each. */
export const MAX_BATCH_SIZE = 200;

const TIMEOUT_MS = 60_000;
const INITIAL_RETRY_DELAY_MS = 500;
const MAX_RETRY_DELAY_MS = 15_000;
const GIVE_UP_AFTER_MS = 10 * 60_000;
/** A plan can change before `Retry-After` has passed. */
const MAX_WAIT_MS = 15 * 60_000;

/** Identifies a campaign when it is run again. */
export interface CampaignIdentity {
  readonly fileHash: string;
  readonly message: string;
  readonly phoneColumn: string;
  /** Distinguishes campaigns with the same text and file. */
  readonly name: string | undefined;
}

export interface CampaignOptions {
  readonly identity: CampaignIdentity;
  readonly batchSize: number;
  readonly deviceId: string | undefined;
  readonly scheduledAt: Date | undefined;
  /** Before other messages, and without regard to quiet hours. */
  readonly isUrgent: boolean;
  /** Its reason is thrown by `send`. */
  readonly stop: AbortSignal;
  /** Called after each batch, and with a note before each wait. */
  readonly onProgress: (queued: number, note?: string) => void;
}

export interface SentBatch {
  readonly id: string;
  readonly messages: number;
}

export interface Outcome {
  readonly queued: number;
  /** The messages that an earlier run queued. */
  readonly before: number;
  readonly completionAt: Date | undefined;
}

/**
 * Sends a list in batches. The idempotency key of a batch depends only on the campaign and the position, so that the
 * service accepts each batch once, however often the command runs.
 */
export class Campaign {
  private queued = 0;
  private readonly sent: SentBatch[] = [];
  private before = 0;
  private completionAt: Date | undefined;

  constructor(
    private readonly gateway: MessagingGateway,
    private readonly options: CampaignOptions,
  ) {}

  get batches(): readonly SentBatch[] {
    return this.sent;
  }

  /** @throws ApiError, NoResponse, Error, the reason of `stop`. Queued messages stay queued. */
  async send(list: ContactList): Promise<Outcome> {
    let batch: Contact[] = [];
    for await (const entry of list.read()) {
      if (isInvalidRow(entry)) continue;
      batch.push(entry);
      if (batch.length < this.options.batchSize) continue;
      await this.sendBatch(list, batch);
      batch = [];
    }
    if (batch.length > 0) await this.sendBatch(list, batch);
    const { queued, before, completionAt } = this;
    return { queued, before, completionAt };
  }

  private async sendBatch(list: ContactList, batch: readonly Contact[]): Promise<void> {
    await list.assertUnchanged();
    const { sent, wasBefore } = await this.requestWithRetries(batch);
    this.queued += batch.length;
    this.sent.push({ id: sent.smsBatchId, messages: batch.length });
    if (wasBefore) this.before += batch.length;
    const { estimatedCompletionAt } = sent;
    if (estimatedCompletionAt !== undefined) this.completionAt = new Date(estimatedCompletionAt);
    this.options.onProgress(this.queued);
  }

  private async requestWithRetries(
    batch: readonly Contact[],
  ): Promise<{ sent: SendResponse; wasBefore: boolean }> {
    const backoff = new Backoff(INITIAL_RETRY_DELAY_MS, MAX_RETRY_DELAY_MS);
    const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
    for (let attempt = 1; ; attempt += 1) {
      this.options.stop.throwIfAborted();
      try {
        const answer = await this.request(batch);
        const sent = dataOf(answer);
        const replayed = answer.response.headers.get('idempotency-replayed') === 'true';
        // The first attempt of this run may have been accepted although its response was lost.
        return { sent, wasBefore: replayed && attempt === 1 };
      } catch (failure) {
        this.options.stop.throwIfAborted();
        if (!isRetryable(failure, batch.length)) throw withAdvice(failure, batch, this.queued);
        const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined;
        if (asked === undefined && Date.now() > giveUpAt) throw failure;
        await this.wait(asked ?? backoff.next(), failure.message);
      }
    }
  }

  private request(batch: readonly Contact[]) {
    const { identity, deviceId, scheduledAt, isUrgent, stop } = this.options;
    const time = scheduledAt === undefined ? {} : { scheduledAt: scheduledAt.toISOString() };
    return this.gateway.sendBulkSms({
      body: {
        messages: batch.map(({ message, recipient }) => ({ message, recipients: [recipient], ...time })),
        messageTemplate: identity.message,
        ...(deviceId !== undefined && { deviceId }),
        ...(isUrgent && { priority: 'urgent' as const }),
      },
      headers: { 'Idempotency-Key': `campaign-${campaignId(identity)}-${this.queued}` },
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  }

  private async wait(milliseconds: number, reason: string): Promise<void> {
    const until = new Date(Date.now() + milliseconds).toISOString().slice(0, 19);
    this.options.onProgress(this.queued, `waiting until ${until}Z: ${reason}`);
    const { stop } = this.options;
    // The loop checks the signal.
    await sleep(Math.min(milliseconds, MAX_WAIT_MS), undefined, { signal: stop }).catch(() => undefined);
  }
}

/**
 * Without batch size, device, time and priority: a run with other values must fail because of the reused keys, not start
 * another campaign.
 */
function campaignId({ fileHash, message, phoneColumn, name }: CampaignIdentity): string {
  const identity = JSON.stringify([fileHash, message, phoneColumn, name]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

function isRetryable(failure: unknown, count: number): failure is ApiError | NoResponse {
  if (failure instanceof NoResponse) return true;
  if (!(failure instanceof ApiError) || failure.isPermanent) return false;
  const { body, status, retryAfterMs } = failure;
  const fits = [body.dailyLimit, body.monthlyLimit].every(
    (limit) => limit === undefined || limit < 0 || count <= limit,
  );
  return status !== 429 || (retryAfterMs !== undefined && fits);
}

function withAdvice(failure: unknown, batch: readonly Contact[], queued: number): unknown {
  if (!(failure instanceof ApiError)) return failure;
  const { body, message } = failure;
  if (body.code === 'IDEMPOTENCY_KEY_REUSED') {
    return new Error(
      'this campaign was started with another --batch-size, --device, --at or --urgent: use the same values',
      { cause: failure },
    );
  }
  if (body.hasReachedLimit) return new Error(`${message}: use a smaller --batch-size`, { cause: failure });
  const invalidRows = (body.details ?? []).map(({ field, message: reason }) => {
    const [, place = '', name = field] = /^messages\.(\d+)\.(.*)$/.exec(field) ?? [];
    if (name === 'scheduledAt') return `--at: ${reason.replace(field, name)}`; // the same for each line
    const contact = batch[Number(place || Number.NaN)];
    return contact ? `line ${contact.line}: ${reason.replace(field, name)}` : reason;
  });
  const [first] = batch;
  const advice =
    queued === 0 || first === undefined
      ? []
      : [
          `The lines before ${first.line} are queued. A changed file is a new campaign: to continue, put the corrected lines from ${first.line} into a new file`,
        ];
  return new Error([...(invalidRows.length > 0 ? new Set(invalidRows) : [message]), ...advice].join('\n'), {
    cause: failure,
  });
}
