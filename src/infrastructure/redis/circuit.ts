import { tryWithTimeout } from '../../common/try-with-timeout';

const OPEN_MS = 5_000;

/**
 * Runs commands of one server that the caller can do without. One that is not answered in time opens the circuit for all callers: for
 * five seconds no request waits for the server, then one command tests it. A command that fails at once, as without a connection,
 * costs no time and does not open it.
 */
export class Circuit {
  private openUntil = 0;
  private needsTest = false;

  /** @param timeoutMs how long a command may take. */
  constructor(private readonly timeoutMs: number) {}

  /** Whether the server did not answer in time, and has not answered since. */
  get isOpen(): boolean {
    return this.needsTest;
  }

  /** @returns undefined when the command fails or is not answered in time, or the circuit is open. Never throws. */
  async run<T>(command: () => Promise<T>): Promise<T | undefined> {
    if (performance.now() < this.openUntil) return undefined;
    // Callers during the test do not wait for Redis.
    if (this.needsTest) this.open();
    const settled = await tryWithTimeout(Promise.allSettled([call(command)]), this.timeoutMs);
    const hasTimedOut = settled === undefined;
    this.needsTest = hasTimedOut;
    if (hasTimedOut) this.open();
    else this.openUntil = 0;
    const [outcome] = settled ?? [];
    return outcome?.status === 'fulfilled' ? outcome.value : undefined;
  }

  private open(): void {
    this.openUntil = performance.now() + OPEN_MS;
  }
}

/** Rejects if the command throws. */
async function call<T>(command: () => Promise<T>): Promise<T> {
  return command();
}
