import type { TFunction } from 'i18next';
import { isKnown } from '../../components/problem-codes';
import type { Problem, ProblemGroup } from './problems';

/**
 * What is wrong and what to do. The API says it in English; other languages, and many problems of one kind, have texts of the
 * catalogue, as far as it knows the kind.
 */
export function problemText(
  t: TFunction,
  language: string,
  { code, problems }: ProblemGroup,
  nameOf: (subject: Problem['subject']) => string,
): { readonly text: string; readonly remedy: string } {
  const [first, ...others] = problems;
  const isEnglish = language.startsWith('en');
  const isTranslated = isKnown(code) && (others.length > 0 || !isEnglish);
  return {
    text: isTranslated
      ? t(`problems.text.${code}`, { count: problems.length, name: nameOf(first.subject) })
      : first.text,
    remedy: isKnown(code) && !isEnglish ? t(`problems.remedy.${code}`) : first.remedy,
  };
}
