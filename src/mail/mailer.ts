/** A plain-text mail to one person. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The way to people's mailboxes. */
export abstract class Mailer {
  /**
   * Sends in the background: no request waits for a mail server, or learns how it is. A mail that cannot be sent
   * is logged and dropped; whoever misses it asks again.
   */
  abstract post(mail: Mail): void;
}
