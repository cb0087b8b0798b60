export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The first part of its Message-ID: the same in each attempt, so that a mailbox can tell a repetition. */
  readonly id?: string;
}

export abstract class Mailer {
  /**
   * Sends a plain-text mail in the background, so that no request waits for the mail server. A mail that cannot be sent is
   * logged, for the operator to forward.
   */
  abstract send(mail: Mail): void;

  /**
   * Sends a plain-text mail and waits for the mail server.
   * @throws if the server did not accept it; it may have, if the connection broke at the end.
   */
  abstract deliver(mail: Mail): Promise<void>;

  /** Whether there is a mail server: without one, mails are written to the log. */
  abstract readonly hasServer: boolean;
}

/** A mail as the log has it. */
export const mailText = ({ to, subject, text }: Mail): string => `To: ${to}\nSubject: ${subject}\n\n${text}`;
