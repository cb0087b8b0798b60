import type { TFunction } from 'i18next';
import { isOfPhone } from './problem-codes';

/** A problem of a phone in the chosen language; one that this page does not know, in the words of the API. */
export function phoneProblemText(
  t: TFunction,
  { code, text, remedy }: { readonly code: string; readonly text: string; readonly remedy?: string },
): { readonly text: string; readonly remedy: string | undefined } {
  if (!isOfPhone(code)) return { text, remedy };
  return { text: t(`problems.ofPhone.${code}`), remedy: t(`problems.remedy.${code}`) };
}
