import { failureReasonWithFix, reasonWithoutFix } from '../../../messages/failures/failure-reason';
import remedies from '../../../messages/failures/failure-remedies';
import english from './english';
import { type StepCode, wordsOf, type Wording } from './sentences';
import type { StepFacts } from './step-facts';

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

const ENGLISH: Wording = {
  say: (key, values) => {
    const texts: Partial<Record<string, string>> = english;
    const text = texts[key] ?? texts[`${key}_${values.count === 1 ? 'one' : 'other'}`] ?? '';
    return text.replaceAll(/{{(\w+)}}/g, (_, name: string) => String(values[name]));
  },
  /** "1 February 2026 at 23:00 UTC" */
  time: (at) => `${TIME.format(new Date(at))} UTC`,
  number: (value) => value.toLocaleString('en'),
};

/** A step as English sentences. A failure is followed by its reason and, unless the phone contradicted it, what to do. */
export function textOf(code: StepCode, at: Date, facts: StepFacts): string {
  const text = wordsOf(code, at.getTime(), facts, ENGLISH);
  const { code: errorCode, reported, contradicted } = facts;
  if (code === 'expired' && !contradicted) return `${text} ${remedies.EXPIRED}`;
  if (code === 'suppressed') return `${text} ${remedies.SUPPRESSED}`;
  if (code !== 'failed') return text;
  const reason = contradicted ? reasonWithoutFix : failureReasonWithFix;
  return `${text} ${reason(errorCode, reported)}`;
}
