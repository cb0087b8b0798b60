import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagingGateway, NoResponse, type SendResponse } from 'messaging-gateway-client';
import { dataOf, ApiError } from '../api-error';
import { Backoff } from 'messaging-gateway-phone';
import { type Contact, type ContactList, isInvalidRow } from './contact-list';

/** More would not fit into a request for certain: 2 MB, with 1,600 characters to each. */
export const MAX_BATCH_SIZE = 200;

const TIMEOUT_MS = 60_000;
const INITIAL_RETRY_DELAY_MS = 500;
const MAX_RETRY_DELAY_MS = 15_000;
/** How long nothing but failures may come. */
const GIVE_UP_AFTER_MS = 10 * 60_000;
/** A refusal is looked at again so often, whatever it says: a plan can be changed meanwhile. */
const MAX_WAIT_MS = 15 * 60_000;

/** What makes a campaign the same one when it is run again. */
export interface CampaignIdentity {
  readonly fileHash: string;
  readonly message: string;
  readonly phoneColumn: string;
  /** Tells a campaign from an earlier one with the same text to the same people. */
  readonly name: string | undefined;
}

export interface CampaignOptions {
  readonly identity: CampaignIdentity;
  readonly batchSize: number;
  readonly deviceId: string | undefined;
  readonly scheduledAt: Date | undefined;
  /** Ends the campaign where it is; its reason is what `send` throws then. */
  readonly stop: AbortSignal;
  /** Told after each batch, and with a note when there is something to wait for. */
  readonly onProgress: (queued: number, note?: string) => void;
}

/** A batch the service has accepted, in this run or in an earlier one. */
export interface SentBatch {
  readonly id: string;
  readonly messages: number;
}

export interface Outcome {
  readonly queued: number;
  /** Of the queued, those that an earlier run had queued. */
  readonly before: number;
  /** When the phone is expected to be done, where the service says so. */
  readonly completionAt: Date | undefined;
}

/**
 * Sends a list in batches, each under an idempotency key that depends on nothing but the campaign and the batch's place
 * in it. However often it dies and is run again, the service takes each batch once.
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

  /** What the service has accepted so far. */
  get batches(): readonly SentBatch[] {
    return this.sent;
  }

  /** @throws ApiError, NoResponse, Error, the reason of `stop`; what was queued until then stays queued. */
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
        // What a repeated request finds may be what the first one has done, its answer lost.
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
    const { identity, deviceId, scheduledAt, stop } = this.options;
    const time = scheduledAt === undefined ? {} : { scheduledAt: scheduledAt.toISOString() };
    return this.gateway.sendBulkSms({
      body: {
        messages: batch.map(({ message, recipient }) => ({ message, recipients: [recipient], ...time })),
        messageTemplate: identity.message,
        ...(deviceId !== undefined && { deviceId }),
      },
      headers: { 'Idempotency-Key': `campaign-${campaignId(identity)}-${this.queued}` },
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  }

  private async wait(milliseconds: number, reason: string): Promise<void> {
    const until = new Date(Date.now() + milliseconds).toISOString().slice(0, 19);
    this.options.onProgress(this.queued, `waiting until ${until}Z: ${reason}`);
    const { stop } = this.options;
    // Being stopped is noticed by the loop.
    await sleep(Math.min(milliseconds, MAX_WAIT_MS), undefined, { signal: stop }).catch(() => undefined);
  }
}

/**
 * The size of batches, the device and the time are left out: run again with others, a campaign does not become another one, but
 * is refused by the service for the reuse of its keys.
 */
function campaignId({ fileHash, message, phoneColumn, name }: CampaignIdentity): string {
  const identity = JSON.stringify([fileHash, message, phoneColumn, name]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

/** Whether the same request can still be accepted. */
function isRetryable(failure: unknown, count: number): failure is ApiError | NoResponse {
  if (failure instanceof NoResponse) return true;
  if (!(failure instanceof ApiError) || failure.isPermanent) return false;
  const { body, status, retryAfterMs } = failure;
  const fits = [body.dailyLimit, body.monthlyLimit].every(
    (limit) => limit === undefined || limit < 0 || count <= limit,
  );
  return status !== 429 || (retryAfterMs !== undefined && fits);
}

/** The failure with what the caller can do about it. */
function withAdvice(failure: unknown, batch: readonly Contact[], queued: number): unknown {
  if (!(failure instanceof ApiError)) return failure;
  const { body, message } = failure;
  if (body.code === 'IDEMPOTENCY_KEY_REUSED') {
    return new Error(
      'this campaign was begun with another --batch-size, --device or --at: run it again as it was begun',
      { cause: failure },
    );
  }
  if (body.hasReachedLimit) return new Error(`${message}: give a smaller --batch-size`, { cause: failure });
  const invalidRows = (body.details ?? []).map(({ field, message: reason }) => {
    const [, place = '', name = field] = /^messages\.(\d+)\.(.*)$/.exec(field) ?? [];
    if (name === 'scheduledAt') return `--at: ${reason.replace(field, name)}`; // the same for every line
    const contact = batch[Number(place || Number.NaN)];
    return contact ? `line ${contact.line}: ${reason.replace(field, name)}` : reason;
  });
  const [first] = batch;
  const advice =
    queued === 0 || first === undefined
      ? []
      : [
          `What stands before line ${first.line} is queued. A changed file is a campaign of its own: to go on, put line ${first.line} and those after it, corrected, into a new file`,
        ];
  return new Error([...(invalidRows.length > 0 ? new Set(invalidRows) : [message]), ...advice].join('\n'), {
    cause: failure,
  });
}
