import { type Hint, type HintKind, type Hints, mergeHints } from './hint';

const INTERVAL_MS = 250;

type PendingHints = Partial<Record<HintKind, Hint>>;

/** Merges the hints of each account, and emits them at most four times a second; the first ones at once. */
export class HintThrottle {
  private readonly pending = new Map<string, PendingHints>();
  private readonly timers = new Set<NodeJS.Timeout>();

  /** @param emit must not throw. */
  constructor(private readonly emit: (account: string, hints: Hints) => void) {}

  /** Merges the hint with those of the account that wait, which have at most `MAX_HINT_IDS` ids of each kind. */
  add(account: string, kind: HintKind, hint: Hint): void {
    const pending = this.pending.get(account);
    if (pending) {
      pending[kind] = mergeHints(pending[kind], hint);
      return;
    }
    this.pending.set(account, { [kind]: hint });
    this.schedule(account, 0);
  }

  /** Drops the hints that wait. */
  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.pending.clear();
  }

  private schedule(account: string, delayMs: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      const hints = this.pending.get(account) ?? {};
      if (Object.keys(hints).length === 0) {
        this.pending.delete(account);
        return;
      }
      this.pending.set(account, {});
      this.schedule(account, INTERVAL_MS);
      this.emit(account, hints);
    }, delayMs);
    this.timers.add(timer);
  }
}
