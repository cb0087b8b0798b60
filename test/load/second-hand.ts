import type { ChaosScreen } from '../chaos/screen';
import type { Meter, Second } from './meter';

/** Has each second drawn up and shown, and watches how far the receiver is behind. */
export class SecondHand {
  mostWaiting = 0;
  /** From the return of the receiver until it had all there was, in seconds. */
  caughtUpAfter: number | undefined;
  private backAt: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param fewWaiting so many events are always under way. */
  constructor(
    private readonly meter: Meter,
    private readonly fewWaiting: number,
    private readonly screen: ChaosScreen,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      const second = this.meter.drawUp();
      this.mostWaiting = Math.max(this.mostWaiting, second.waiting);
      if (this.backAt !== undefined && second.waiting <= this.fewWaiting) {
        this.caughtUpAfter ??= (Date.now() - this.backAt) / 1_000;
      }
      this.screen.say(progressOf(second));
    }, 1_000);
  }

  receiverIsBack(): void {
    this.backAt = Date.now();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

function progressOf(second: Second): string {
  const ms = (value: number) => (Number.isNaN(value) ? '-' : String(Math.round(value)));
  const resident = Object.entries(second.resident).map(
    ([name, megabytes]) => `${name} ${Math.round(megabytes)}`,
  );
  return (
    `${second.answered} answered, ${second.errors} errors, ${second.open} open, ` +
    `p50 ${ms(second.answerP50)} ms, p99 ${ms(second.answerP99)} ms, to phone p99 ${ms(second.toPhoneP99)} ms, ` +
    `${second.events} events, ${second.waiting} waiting, MB: ${resident.join(', ')}`
  );
}
