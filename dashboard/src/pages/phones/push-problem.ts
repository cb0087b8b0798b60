import type { TFunction } from 'i18next';
import { translateError } from '../../api/translate-error';
import type { Device, Problem } from '../../components/phones/phone';
import { errorTexts } from '../../i18n';

/** What is wrong with a phone that cannot receive pushes: the service knows more than the kind of its problem. */
export const pushProblemText = (t: TFunction, problem: Problem, device: Device): string | undefined =>
  problem.code === 'phone_offline' ? pushErrorText(t, device) : undefined;

/** Why a phone cannot receive pushes, in the language of the page; undefined if it can. */
export function pushErrorText(t: TFunction, { pushError, health }: Device): string | undefined {
  const texts = errorTexts();
  if (!pushError || !texts) return pushError?.message;
  if (health.reasons.some(({ code }) => code === 'push_not_set_up'))
    return t('problems.ofPhone.push_not_set_up');
  return translateError(pushError, texts).message;
}
