import { Injectable } from '@nestjs/common';
import { accountScope, type AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { AppError } from '../../common/errors';
import { connectionOf } from '../../devices/connection/connection';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { MessagesRepository } from '../../messages/messages.repository';
import { SendService } from '../sends/send.service';
import { LoopMessagesRepository } from './loop-messages.repository';
import { CHECK_EVERY_MS, loopOutcome, loopText, type LoopOutcome } from './loop-test-rules';
import type { LoopLeg, LoopRun } from './loop-test.schema';
import { LoopTestsRepository } from './loop-tests.repository';

/** Concurrent runs; each takes a few queries. */
const BATCH_SIZE = 20;

/** Sends the texts of runs, and finds out what becomes of them. Safe to run in several processes. */
@Injectable()
export class LoopTestRunner {
  constructor(
    private readonly tests: LoopTestsRepository,
    private readonly loopMessages: LoopMessagesRepository,
    private readonly messages: MessagesRepository,
    private readonly devices: DevicesRepository,
    private readonly sends: SendService,
    private readonly clock: Clock,
  ) {}

  /** Looks at the runs that are due. @param limit maximum number of runs. */
  async checkDue(limit: number): Promise<void> {
    for (let checked = 0; checked < limit; checked += BATCH_SIZE) {
      const now = this.clock.now();
      const until = new Date(now.getTime() + CHECK_EVERY_MS);
      const due = await this.tests.claimCheckDue(now, until, BATCH_SIZE);
      await Promise.all(due.map(({ user, run }) => this.advance(accountScope(user), run)));
      if (due.length < BATCH_SIZE) return;
    }
  }

  /** Sends what is not sent yet, and ends the run when all results are known. */
  async advance(account: AccountScope, run: LoopRun): Promise<void> {
    const sent: LoopLeg[] = [];
    for (const [number, leg] of run.legs.entries()) sent.push(await this.sendLeg(account, run, leg, number));
    if (sent.some((leg, number) => leg !== run.legs[number])) await this.tests.store(account.user, run, sent);
    const legs = await Promise.all(
      sent.map(async (leg) => ({ ...leg, ...(await this.outcomeOf(account, run, leg)) })),
    );
    if (legs.every(({ result }) => result !== 'waiting'))
      await this.tests.store(account.user, run, legs, this.clock.now());
  }

  /** What has become of the text of a direction until now. */
  async outcomeOf(account: AccountScope, { startedAt }: LoopRun, leg: LoopLeg): Promise<LoopOutcome> {
    const [message, arrival, receiver] = await Promise.all([
      leg.message && this.messages.find(account, leg.message),
      this.loopMessages.findArrival(account, leg.toDevice, startedAt, leg.nonce),
      this.devices.find(account, leg.toDevice),
    ]);
    const now = this.clock.now();
    return loopOutcome({
      startedAt,
      now,
      refusal: leg.refusal,
      message: message ?? undefined,
      arrivedAt: arrival?.createdAt,
      receiver: receiver
        ? {
            receives: receiver.enabled && receiver.receiveSMSEnabled,
            isOnline: connectionOf(receiver, now).state === 'online',
          }
        : undefined,
    });
  }

  /** Repeated with the same idempotency key if the process dies before the send is stored in the run. */
  private async sendLeg(account: AccountScope, run: LoopRun, leg: LoopLeg, number: number): Promise<LoopLeg> {
    if (leg.message || leg.refusal !== undefined) return leg;
    try {
      const { batch } = await this.sends.send(
        account,
        {
          deviceId: leg.fromDevice.toHexString(),
          entries: [
            {
              message: loopText(leg.nonce),
              recipients: [leg.number],
              ...(leg.subscriptionId !== undefined && { simSubscriptionId: leg.subscriptionId }),
            },
          ],
        },
        `loop test ${run.id.toHexString()} ${number}`,
      );
      const message = await this.loopMessages.markSent(account, batch._id);
      return { ...leg, batch: batch._id, ...(message && { message }) };
    } catch (failure) {
      if (failure instanceof AppError && failure.kind !== 'unavailable')
        return { ...leg, refusal: failure.message.slice(0, 500) };
      throw failure;
    }
  }
}
