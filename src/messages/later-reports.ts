import type { OutgoingStatus } from './message-status';

/** What a phone may report after a final status that contradicts it. */
export const LATER_STATUSES = ['sent', 'delivered', 'failed', 'delivery_failed'] as const;
export type LaterStatus = (typeof LATER_STATUSES)[number];

/** A report that contradicts the final status of its message, such as on another part of a long text. */
export interface LaterReport {
  readonly status: LaterStatus;
  /** When the service received it. */
  readonly at: Date;
  readonly errorCode?: string;
}

/** The final status that a report contradicts. */
export const CONTRADICTED: Record<LaterStatus, OutgoingStatus> = {
  sent: 'failed',
  delivered: 'failed',
  failed: 'delivered',
  delivery_failed: 'delivered',
};

/** @param reported in lower case. */
export const laterStatusOf = (reported: string): LaterStatus | undefined =>
  LATER_STATUSES.find((status) => status === reported);

/**
 * What the phone reported after the final status, and what to do, as sentences.
 * @param parts SMS parts of the text; of several, each is reported on its own.
 */
export function laterReportText({ status, errorCode }: LaterReport, phone: string, parts: number): string {
  const it = parts > 1 ? 'a part of it' : 'it';
  const code = errorCode === undefined ? '' : ` (${errorCode})`;
  const ask =
    parts > 1
      ? 'A part of the text may be missing: ask the recipient before you send it again.'
      : 'It may have arrived: ask the recipient before you send it again.';
  switch (status) {
    case 'sent':
      return `Afterwards ${phone} reported that it had sent ${it}. ${ask}`;
    case 'delivered':
      return `Afterwards ${phone} reported that the network delivered ${it}. ${parts > 1 ? ask : 'Do not send it again.'}`;
    case 'failed':
      return `Afterwards ${phone} reported that ${it} failed${code}. ${ask}`;
    case 'delivery_failed':
      return `Afterwards ${phone} reported that the network did not deliver ${it}. ${ask}`;
  }
}
