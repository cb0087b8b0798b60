import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../common/durations';
import { plausibleTime, readPhoneTime } from '../../common/phone-time';
import { RedisConfig } from '../../config/sections/redis.config';
import { later } from '../../devices/connection/connection';
import type { Device } from '../../devices/device.schema';
import { RedisCircuitBreaker } from '../../infrastructure/redis/redis-circuit-breaker';
import { MessagesRepository } from '../../messages/messages.repository';
import type { IncomingSmsUpload } from '../incoming-sms-upload';
import type { ExportSpan } from './smsgate-stream';

/** A phone that was away for longer may have received texts that its app did not post, also without a restart of the app. */
const MIN_GAP_MS = 2 * MINUTE_MS;

/** Before the gap: the end of a stream may be noticed late. */
const MARGIN_MS = MINUTE_MS;

/** An app reads no further back. */
const MAX_GAP_MS = 7 * DAY_MS;

/** From the start of an app until it opens its stream. */
const START_TTL_S = 600;

/** A request may be lost with its stream, so that each stream that opens within this time repeats it. */
const REPEAT_MS = 10 * MINUTE_MS;

/** For how long texts of an export arrive. */
const EXPORT_TTL_MS = 2 * HOUR_MS;

interface ExportRequest extends ExportSpan {
  readonly repeatedUntil: Date;
}

/**
 * Asks an app to upload again what it received while it was away. Such a text may carry another time than when it was posted live, so one
 * is stored only if posts with more times have come, with it and its sender, than are stored.
 */
@Injectable()
export class ReceptionExports {
  constructor(
    private readonly redis: RedisCircuitBreaker,
    private readonly config: RedisConfig,
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
  ) {}

  /** Notes that an app has started: it was off, so its next stream asks for an export however short that was. */
  async noteStart(device: Types.ObjectId): Promise<void> {
    const key = this.startKeyOf(device);
    await this.redis.run(key, (redis) => redis.set(key, 1, 'EX', START_TTL_S));
  }

  /**
   * The time for which a phone that opens a stream is to export; undefined if it was not away.
   * @param isConnected whether it has another stream, which a phone that lost its power leaves half open.
   */
  async begin({ _id, stream, lastHeartbeat }: Device, isConnected: boolean): Promise<ExportSpan | undefined> {
    const until = this.clock.now();
    // A stream whose process died was not closed.
    const lastSeenAt = stream?.closedAt ?? later(stream?.openedAt, lastHeartbeat);
    if (!stream || !lastSeenAt) return undefined;
    const startKey = this.startKeyOf(_id);
    const wasOff = (await this.redis.run(startKey, (redis) => redis.exists(startKey))) === 1;
    const earlier = await this.findRequest(_id);
    const repeated = earlier && until < earlier.repeatedUntil ? earlier : undefined;
    const isShort = until.getTime() - lastSeenAt.getTime() < MIN_GAP_MS;
    if (!wasOff && !repeated && (isConnected || isShort)) return undefined;
    const from = Math.min(lastSeenAt.getTime() - MARGIN_MS, repeated?.since.getTime() ?? Infinity);
    const since = new Date(Math.max(from, until.getTime() - MAX_GAP_MS));
    // Repetitions do not move the end: a phone that reconnects every few minutes would be asked for ever.
    const repeatedUntil = repeated?.repeatedUntil ?? new Date(until.getTime() + REPEAT_MS);
    const request = JSON.stringify([since, until, repeatedUntil]);
    const key = this.keyOf(_id);
    const stored = await this.redis.run(key, (redis) =>
      redis.set(key, request, 'EX', Math.ceil(EXPORT_TTL_MS / SECOND_MS)),
    );
    // Without the span the texts of the export could not be told from new ones.
    return stored === undefined ? undefined : { since, until };
  }

  /** Ends what `noteStart` has noted, once the app was asked: had the process died before, its next stream would be. */
  async forgetStart(device: Types.ObjectId): Promise<void> {
    const key = this.startKeyOf(device);
    await this.redis.run(key, (redis) => redis.del(key));
  }

  /** Whether a text of a running export is stored already. */
  async isKnown(account: AccountScope, device: Types.ObjectId, upload: IncomingSmsUpload): Promise<boolean> {
    const request = await this.findRequest(device);
    const receivedAt = plausibleTime(readPhoneTime(upload.receivedAt), this.clock.now());
    const { sender, message } = upload;
    if (!request || !receivedAt || typeof sender !== 'string' || typeof message !== 'string') return false;
    const { since, until, repeatedUntil } = request;
    if (receivedAt < since || receivedAt > until) return false;
    const text = createHash('sha256').update(`${sender}\n${message}`).digest('base64url');
    const key = `${this.keyOf(device)}:${repeatedUntil.getTime()}:${text}`;
    // By its time, which is the same in each post of an export, also of one that was asked for again.
    const posted = await this.redis.run(key, async (redis) => {
      await redis.sadd(key, receivedAt.getTime());
      await redis.expire(key, Math.ceil(EXPORT_TTL_MS / SECOND_MS));
      return redis.scard(key);
    });
    if (posted === undefined) return false;
    const stored = await this.messages.countReceivedEqual(account, { device, sender, message, since, until });
    return stored >= posted;
  }

  private async findRequest(device: Types.ObjectId): Promise<ExportRequest | undefined> {
    const key = this.keyOf(device);
    const stored = await this.redis.run(key, (redis) => redis.get(key));
    if (!stored) return undefined;
    const [since, until, repeatedUntil] = (JSON.parse(stored) as string[]).map((time) => new Date(time));
    // A process of an earlier version has stored no third time.
    return since && until && { since, until, repeatedUntil: repeatedUntil ?? until };
  }

  private startKeyOf(device: Types.ObjectId): string {
    return `${this.config.prefix}:smsgate-start:${device.toHexString()}`;
  }

  private keyOf(device: Types.ObjectId): string {
    return `${this.config.prefix}:smsgate-export:{${device.toHexString()}}`;
  }
}
