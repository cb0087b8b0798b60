import type { Types } from 'mongoose';

export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const SUBJECT_TYPES = ['device', 'sim', 'webhook', 'pool', 'account', 'service'] as const;

export interface ProblemSubject {
  readonly type: (typeof SUBJECT_TYPES)[number];
  /** Absent if it is the service. */
  readonly id?: Types.ObjectId;
  readonly name: string;
}

export interface Problem<Code extends string> {
  readonly code: Code;
  /**
   * `error`: something does not work. `warning`: it may soon stop working, or works less well than it could. `info`: it is as
   * its owner has set it, and nothing needs repair.
   */
  readonly severity: Severity;
  /** Absent if it is not known. */
  readonly since?: Date;
  /** When it ends by itself; absent if it does not. */
  readonly until?: Date;
  readonly subject: ProblemSubject;
  /** A sentence, without times. */
  readonly text: string;
  /** What to do, in sentences. */
  readonly remedy: string;
}
