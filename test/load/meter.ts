import type { ServiceProcess } from '../chaos/service-process';
import { percentile } from './figures';
import { residentMegabytes } from './process-view';

/** What one second of a run came to. Times are in milliseconds. */
export interface Second {
  readonly answered: number;
  readonly errors: number;
  /** Sends that are not answered yet. */
  readonly open: number;
  readonly answerP50: number;
  readonly answerP99: number;
  readonly toPhoneP99: number;
  /** Events received since the run began. */
  readonly events: number;
  /** Events that phones have reported and the receiver has not had. */
  readonly waiting: number;
  /** By process, in MB. */
  readonly resident: Readonly<Record<string, number>>;
}

/** What stands at this moment, and is not counted by the meter. */
export interface Standing {
  readonly events: number;
  readonly waiting: number;
}

/** Counts what happens, and draws up each second. */
export class Meter {
  readonly seconds: Second[] = [];
  readonly answerTimes: number[] = [];
  readonly toPhoneTimes: number[] = [];
  open = 0;
  private readonly dueAt = new Map<string, number>();
  private answersDrawnUp = 0;
  private toPhoneDrawnUp = 0;
  private errors = 0;

  constructor(
    private readonly processes: readonly ServiceProcess[],
    private readonly standing: () => Standing,
  ) {}

  begun(recipient: string, dueAt: number): void {
    this.open += 1;
    this.dueAt.set(recipient, dueAt);
  }

  answered(dueAt: number): void {
    this.open -= 1;
    this.answerTimes.push(performance.now() - dueAt);
  }

  failed(): void {
    this.open -= 1;
    this.errors += 1;
  }

  reachedPhone(recipient: string): void {
    const dueAt = this.dueAt.get(recipient);
    if (dueAt === undefined) return;
    this.dueAt.delete(recipient);
    this.toPhoneTimes.push(performance.now() - dueAt);
  }

  /** Draws up what has happened since the last time. */
  drawUp(): Second {
    const answers = this.answerTimes.slice(this.answersDrawnUp);
    const toPhone = this.toPhoneTimes.slice(this.toPhoneDrawnUp);
    this.answersDrawnUp = this.answerTimes.length;
    this.toPhoneDrawnUp = this.toPhoneTimes.length;
    const second = {
      ...this.standing(),
      answered: answers.length,
      errors: this.errors,
      open: this.open,
      answerP50: percentile(answers, 0.5),
      answerP99: percentile(answers, 0.99),
      toPhoneP99: percentile(toPhone, 0.99),
      resident: Object.fromEntries(
        this.processes.flatMap(({ name, pid }) =>
          pid === undefined ? [] : [[name, residentMegabytes(pid)]],
        ),
      ),
    };
    this.errors = 0;
    this.seconds.push(second);
    return second;
  }
}
