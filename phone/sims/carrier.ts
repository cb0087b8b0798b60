/** A rejected message fails, or is reported as sent and never delivered. */
export type CarrierRejection = 'fail' | 'drop';

export interface CarrierCaps {
  /** Messages in a UTC day. */
  readonly messagesPerDay?: number;
  /** Distinct recipients in a UTC calendar month. */
  readonly recipientsPerMonth?: number;
  /** What happens to messages beyond a cap. Default `fail`. */
  readonly beyond?: CarrierRejection;
}

/** The carrier of a SIM: its caps, and a block that can be switched on and off. */
export class Carrier {
  /** Rejects every message; undefined for no block. */
  block: CarrierRejection | undefined;
  private day = '';
  private messages = 0;
  private month = '';
  private readonly recipients = new Set<string>();

  constructor(readonly caps: CarrierCaps = {}) {}

  /**
   * Accepts a message and counts it, or rejects it.
   * @param at epoch milliseconds.
   * @returns undefined for an accepted message.
   */
  admit(recipient: string, at: number): CarrierRejection | undefined {
    if (this.block !== undefined) return this.block;
    const { messagesPerDay, recipientsPerMonth, beyond = 'fail' } = this.caps;
    this.startPeriods(at);
    if (messagesPerDay !== undefined && this.messages >= messagesPerDay) return beyond;
    if (recipientsPerMonth !== undefined && !this.recipients.has(recipient)) {
      if (this.recipients.size >= recipientsPerMonth) return beyond;
      this.recipients.add(recipient);
    }
    this.messages += 1;
    return undefined;
  }

  private startPeriods(at: number): void {
    const day = new Date(at).toISOString().slice(0, 10);
    if (day === this.day) return;
    this.day = day;
    this.messages = 0;
    const month = day.slice(0, 7);
    if (month === this.month) return;
    this.month = month;
    this.recipients.clear();
  }
}
