import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { formatError } from '../../common/format-error';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { SimHealthService, type SimOutcome } from '../../devices/sims/sim-health.service';
import type { OwnedId } from '../../infrastructure/mongo/owned-ids';
import type { SimRecord } from '../../devices/sims/schemas/sim.schema';
import { SimsRepository } from '../../devices/sims/sims.repository';
import { SimOutcomesRepository, type SimOutcomeMessage } from './sim-outcomes.repository';
import type { ParsedReport } from './status-report';

const FLUSH_INTERVAL_MS = 2_000;
const BATCH_SIZE = 1_000;

/** Far more than a phone can send until the next flush. */
const MAX_OUTCOMES_PER_DEVICE = 500;
const MAX_OUTCOMES = 20_000;

/** What the app reports if the network says that a message was not delivered. */
const UNDELIVERED_STATUS = 'delivery_failed';

interface ReportedOutcome extends Pick<SimOutcome, 'kind' | 'at' | 'code'> {
  readonly message: OwnedId;
  readonly device: Types.ObjectId;
}

/**
 * Records what phones report for the health of their SIMs: in memory, and every two seconds in the database. A process that is
 * killed, or finds the database unavailable then, loses them; no outcome counts twice. Outcomes beyond its bounds are dropped.
 */
@Injectable()
export class SimOutcomeRecorder implements BeforeApplicationShutdown {
  private readonly logger = new Logger(SimOutcomeRecorder.name);
  private byDevice = new Map<string, ReportedOutcome[]>();
  private size = 0;
  private flushed = Promise.resolve();

  constructor(
    private readonly outcomes: SimOutcomesRepository,
    private readonly sims: SimsRepository,
    private readonly health: SimHealthService,
    private readonly clock: Clock,
  ) {}

  /**
   * Records a report that was applied.
   * @param hasChanged whether it changed the status of the message, or ended an attempt.
   */
  record(device: Types.ObjectId, message: OwnedId, report: ParsedReport, hasChanged: boolean): void {
    const kind = outcomeOf(report, hasChanged);
    if (kind) this.add({ kind, message, device, at: this.clock.now(), code: report.errorCode });
  }

  /** Stores what was recorded. Never throws. */
  @Interval(FLUSH_INTERVAL_MS)
  flush(): Promise<void> {
    if (this.size > 0) {
      this.flushed = this.flushed
        .then(() => this.write())
        .catch((failure: unknown) => {
          this.logger.warn(
            `What became of messages was not recorded for the health of their SIMs: ${formatError(failure)}`,
          );
        });
    }
    return this.flushed;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await tryWithTimeout(this.flush());
  }

  private add(outcome: ReportedOutcome): void {
    const key = outcome.device.toHexString();
    const ofDevice = this.byDevice.get(key) ?? [];
    // A delivery that is left out would count as missing, so those of recorded messages have room of their own.
    const share = outcome.kind === 'delivered' || outcome.kind === 'undelivered' ? 2 : 1;
    if (ofDevice.length >= share * MAX_OUTCOMES_PER_DEVICE || this.size >= share * MAX_OUTCOMES) return;
    ofDevice.push(outcome);
    this.byDevice.set(key, ofDevice);
    this.size++;
  }

  private async write(): Promise<void> {
    const recorded = [...this.byDevice.values()].flat();
    this.byDevice = new Map();
    this.size = 0;
    for (let first = 0; first < recorded.length; first += BATCH_SIZE)
      await this.writeBatch(recorded.slice(first, first + BATCH_SIZE));
  }

  private async writeBatch(batch: readonly ReportedOutcome[]): Promise<void> {
    const messages = await this.outcomes.findReported(batch.map(({ message }) => message));
    const chosenByPhone = [...messages.values()].filter(isChosenByPhone).map(({ device }) => device);
    const present = chosenByPhone.length > 0 ? await this.sims.findPresent(chosenByPhone) : undefined;
    await this.health.record(
      batch.flatMap((outcome) => {
        const message = messages.get(outcome.message._id.toHexString());
        const sim = message && simOf(message, outcome.device, present?.get(message.device.toHexString()));
        return sim && message.peerNumber !== '' ? simOutcomes(outcome, message, sim) : [];
      }),
    );
  }
}

/** @returns undefined if the report says nothing new about the SIM. */
function outcomeOf(
  { status, reportedStatus }: ParsedReport,
  hasChanged: boolean,
): SimOutcome['kind'] | undefined {
  // It changes nothing about a message that was sent.
  if (status === 'unknown') return reportedStatus === UNDELIVERED_STATUS ? 'undelivered' : undefined;
  return hasChanged && (status === 'sent' || status === 'delivered' || status === 'failed')
    ? status
    : undefined;
}

/**
 * The outcomes of a report. Another process may have recorded that the message was delivered and store it first, so a message
 * that is delivered by now is recorded as delivered with its sending.
 */
function simOutcomes(
  { kind, at, code }: ReportedOutcome,
  { peerNumber, status, wasSentFirst }: SimOutcomeMessage,
  sim: Types.ObjectId,
): readonly SimOutcome[] {
  const outcome = { sim, peerNumber, at };
  switch (kind) {
    case 'sent':
      return [
        { ...outcome, kind },
        ...(status === 'delivered' ? [{ ...outcome, kind: 'delivered' } as const] : []),
      ];
    case 'delivered':
      return [...(wasSentFirst ? [] : [{ ...outcome, kind: 'sent' } as const]), { ...outcome, kind }];
    case 'undelivered':
    case 'failed':
      return [{ ...outcome, kind, code }];
  }
}

const isChosenByPhone = ({ sim, simSubscriptionId }: SimOutcomeMessage) =>
  sim === undefined && simSubscriptionId !== undefined;

/**
 * The SIM with which a device sent a message: that of the message, that of an earlier attempt, or the one that the phone chose.
 * @param present the SIMs in the phone.
 */
function simOf(
  message: SimOutcomeMessage,
  reporter: Types.ObjectId,
  present: readonly SimRecord[] = [],
): Types.ObjectId | undefined {
  const { device, attempts = [], sim, simSubscriptionId } = message;
  if (!device.equals(reporter)) return attempts.findLast((attempt) => attempt.device.equals(reporter))?.sim;
  if (!isChosenByPhone(message)) return sim;
  return present.find(({ subscriptionId }) => subscriptionId === simSubscriptionId)?._id;
}
