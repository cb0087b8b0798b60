import type { TFunction } from 'i18next';
import type { Problem, ProblemGroup } from './problems';

/** The problems of phones, whose remedies the page of a phone shows too. */
const OF_PHONES = [
  'push_not_set_up',
  'phone_offline',
  'phone_unresponsive',
  'phone_disabled',
  'battery_optimization_on',
  'battery_low',
  'sim_unhealthy',
  'sim_limit_reached',
  'sim_limit_near',
  'phone_drained',
] as const;

const OF_OTHERS = [
  'no_phone',
  'pool_unusable',
  'webhook_failing',
  'webhook_paused',
  'email_unverified',
  'plan_nearly_used',
  'plan_used_up',
] as const;

/**
 * What is wrong and what to do. The API says it in English; other languages, and many problems of one kind, have texts of the
 * catalogue, as far as it knows the kind.
 */
export function problemText(
  t: TFunction,
  language: string,
  { code, problems }: ProblemGroup,
): { readonly text: string; readonly remedy: string } {
  const [first, ...others] = problems;
  const isEnglish = language.startsWith('en');
  const isKnown = [...OF_PHONES, ...OF_OTHERS].includes(code);
  return {
    text:
      isKnown && (others.length > 0 || !isEnglish)
        ? t(`overview.problem.${code}`, { count: problems.length, name: first.subject.name })
        : first.text,
    remedy: isEnglish ? first.remedy : (knownRemedy(t, code) ?? first.remedy),
  };
}

function knownRemedy(t: TFunction, code: Problem['code']): string | undefined {
  const ofPhone = OF_PHONES.find((each) => each === code);
  if (ofPhone) return t(`phones.problem.${ofPhone}.remedy`);
  const other = OF_OTHERS.find((each) => each === code);
  return other && t(`overview.remedy.${other}`);
}
