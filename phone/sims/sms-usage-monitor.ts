const CHECK_PERIOD_MS = 60_000;

/**
 * Android's limit of message parts that an app sends by one SIM in any 60 seconds. A message is allowed as a whole or
 * not at all; messages that a person confirmed do not count (AOSP `SmsUsageMonitor`, Android 13 and later).
 */
export class SmsUsageMonitor {
  private sent: { readonly at: number; readonly parts: number }[] = [];

  /** @param maxParts null for no limit. */
  constructor(private readonly maxParts: number | null) {}

  /** Counts the parts of a message, unless they exceed the limit. @param at epoch milliseconds. */
  allows(parts: number, at: number): boolean {
    if (this.maxParts === null) return true;
    this.sent = this.sent.filter((message) => message.at >= at - CHECK_PERIOD_MS);
    const total = this.sent.reduce((sum, message) => sum + message.parts, parts);
    if (total > this.maxParts) return false;
    this.sent.push({ at, parts });
    return true;
  }
}
