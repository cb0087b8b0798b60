export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export abstract class Mailer {
  /**
   * Sends a plain-text mail in the background, so that no request waits for the mail server. A mail that cannot be sent is
   * logged and dropped; the user can request it again.
   */
  abstract send(mail: Mail): void;
}
