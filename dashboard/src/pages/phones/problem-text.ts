import type { TFunction } from 'i18next';

const KNOWN = [
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

/** A problem in the chosen language; one that this page does not know, in the words of the API. */
export function problemText(
  t: TFunction,
  { code, text, remedy }: { readonly code: string; readonly text: string; readonly remedy?: string },
): { readonly text: string; readonly remedy: string | undefined } {
  const known = KNOWN.find((each) => each === code);
  if (!known) return { text, remedy };
  return { text: t(`phones.problem.${known}.text`), remedy: t(`phones.problem.${known}.remedy`) };
}
