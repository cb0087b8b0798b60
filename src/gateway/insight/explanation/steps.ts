import type { Types } from 'mongoose';
import type { StepCode } from './sentences';
import type { StepFacts } from './step-facts';
import { textOf } from './step-text';

export interface Step {
  /** When it happened, or is due; the time of the explanation for what is the case then. */
  readonly at: Date;
  readonly code: StepCode;
  /** Made from code and facts. */
  readonly text: string;
  readonly facts: StepFacts;
  /** The webhook delivery it is about. */
  readonly delivery?: Types.ObjectId;
}

export function step(code: StepCode, at: Date, facts: StepFacts = {}): Step {
  return { at, code, text: textOf(code, at, facts), facts };
}

/** The step, if it has a time. */
export const stepIf = (code: StepCode, at: Date | false | undefined, facts?: StepFacts): Step[] =>
  at ? [step(code, at, facts)] : [];
