import { Injectable, Logger } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { AppError } from '../../common/errors';
import { formatError } from '../../common/format-error';
import {
  AutoRepliesRepository,
  type AutoReplyResult,
} from '../../consent/auto-replies/auto-replies.repository';
import { RELAY_LEASE_MS } from '../../consent/auto-replies/auto-reply-requests.service';
import { REPLY_VALIDITY_MS } from '../../consent/auto-replies/auto-reply-rules';
import type { AutoReply } from '../../consent/auto-replies/auto-reply.schema';
import { SendService } from '../sends/send.service';

const MAX_REFUSAL_CHARACTERS = 500;

/** Sends automatic replies, each once: their idempotency key is that of the stored reply. Safe to run in several processes. */
@Injectable()
export class AutoReplySender {
  private readonly logger = new Logger(AutoReplySender.name);

  constructor(
    private readonly replies: AutoRepliesRepository,
    private readonly sends: SendService,
    private readonly clock: Clock,
  ) {}

  /** Sends a reply. If that fails, `sendDue` does it later. Never throws. */
  async send(reply: AutoReply): Promise<void> {
    try {
      await this.replies.finish(reply, await this.attempt(reply));
    } catch (failure) {
      this.logger.warn(
        `Reply ${reply.reply.toHexString()} was not sent and is retried: ${formatError(failure)}`,
      );
    }
  }

  /** Sends the replies of dead processes. @param limit maximum number of replies. */
  async sendDue(limit: number): Promise<void> {
    for (let count = 0; count < limit; count += 1) {
      const now = this.clock.now();
      const reply = await this.replies.claimDue(now, new Date(now.getTime() + RELAY_LEASE_MS));
      if (!reply) return;
      await this.send(reply);
    }
  }

  /** @throws what may be over at the next attempt. */
  private async attempt(reply: AutoReply): Promise<AutoReplyResult> {
    const { user, number, text, device, simSubscriptionId, requestedAt } = reply;
    const validUntil = new Date(requestedAt.getTime() + REPLY_VALIDITY_MS);
    try {
      const { batch } = await this.sends.send(
        accountScope(user),
        {
          deviceId: device.toHexString(),
          entries: [
            {
              ...{ message: text, recipients: [number] },
              ...(simSubscriptionId !== undefined && { simSubscriptionId }),
            },
          ],
          // Urgent, because it would expire behind a campaign.
          options: { priority: 'urgent', validUntil: validUntil.toISOString() },
          isConsentReply: true,
        },
        `consent reply ${reply.reply.toHexString()}`,
      );
      return { batch: batch._id };
    } catch (failure) {
      if (this.clock.now() >= validUntil) return { refusal: 'It could not be sent within five minutes' };
      if (failure instanceof AppError && failure.kind !== 'unavailable')
        return { refusal: failure.message.slice(0, MAX_REFUSAL_CHARACTERS) };
      throw failure;
    }
  }
}
